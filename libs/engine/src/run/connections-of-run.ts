import { ReferringTexts } from '@millrace/domain';
import { BrokenConnection, type ConnectionSource } from '../ports/connection-source';
import type { RunToWalk } from './run-to-walk';

const NONE: ReadonlyMap<string, unknown> = new Map();

/** The connections of a run's project, as far as the walk has read them. */
export class ConnectionsOfRun {
  /** Why connections cannot be used, by external id. */
  readonly broken = new Map<string, string>();
  /** Hides the values of the others, and puts them back. */
  readonly texts: ReferringTexts;

  constructor(source: ConnectionSource | undefined, { projectId, flowId }: Pick<RunToWalk, 'projectId' | 'flowId'>) {
    this.texts = new ReferringTexts(async (externalIds) =>
      this.usable((await source?.find(projectId, externalIds, flowId)) ?? NONE),
    );
  }

  private usable(found: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
    const usable = new Map(found);
    for (const [externalId, value] of found)
      if (value instanceof BrokenConnection) {
        this.broken.set(externalId, value.reason);
        usable.delete(externalId);
      }
    return usable;
  }
}
