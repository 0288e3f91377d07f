import type { PackageServices } from './package-calls';

/**
 * What a call of a package said of its progress. Nobody sees a step before it has ended, so the last of it becomes a
 * line of the log: a failed step then shows how far it came. A package may say it for each word that it gets.
 */
export class CallProgress {
  private last: unknown;

  readonly services: PackageServices = {
    'output.update': async (data) => void (this.last = data),
  };

  /** The line for the log. Null when nothing was said. */
  get line(): string | null {
    return this.last === undefined ? null : `Progress: ${JSON.stringify(this.last)}`;
  }
}
