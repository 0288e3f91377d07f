import type { JsonText, OutputFile } from '@millrace/domain';
import type { PathKeys } from '@millrace/domain';
import type { ScopeEntry } from '../expressions/scope';
import { JsonValue } from './json-value';
import type { OutputReader } from './output-reader';

/** A scope entry with offloaded outputs. It holds only the parts that one step reads, while its input is resolved. */
export interface FetchingEntry extends ScopeEntry {
  /** Fetches the parts that these paths name. False when that failed; `reader.problem` says why. */
  fetch(paths: readonly PathKeys[], reader: OutputReader): Promise<boolean>;
  drop(): void;
}

export const isFetching = (entry: ScopeEntry): entry is FetchingEntry => 'fetch' in entry;

/** The fetched parts of offloaded outputs, by their paths. */
export class FetchedParts {
  private readonly parts = new Map<string, JsonText | undefined>();

  /** Adds the part that the path names. False when the step now holds more than it may. */
  add(keys: PathKeys, whole: ScopeEntry, reader: OutputReader): boolean {
    const part = whole.textAt(keys);
    this.parts.set(JSON.stringify(keys), part);
    return reader.mayHold(part === undefined ? 0 : Buffer.byteLength(part));
  }

  has(keys: PathKeys): boolean {
    return this.parts.size > 0 && this.parts.has(JSON.stringify(keys));
  }

  textAt(keys: PathKeys): JsonText | undefined {
    return this.parts.get(JSON.stringify(keys));
  }

  valueAt(keys: PathKeys): unknown {
    const text = this.textAt(keys);
    return text === undefined ? undefined : JSON.parse(text);
  }

  clear(): void {
    this.parts.clear();
  }
}

/** The offloaded output of a step: it is too large for the journal, so a file holds it. */
export class OffloadedOutput implements FetchingEntry {
  private readonly parts = new FetchedParts();

  constructor(
    private readonly stepName: string,
    private readonly file: OutputFile,
  ) {}

  async fetch(paths: readonly PathKeys[], reader: OutputReader): Promise<boolean> {
    const text = await reader.read(this.stepName, this.file);
    if (text === null) return false;
    const whole = JsonValue.ofText(text);
    return paths.every((keys) => this.parts.add(keys, whole, reader));
  }

  drop(): void {
    this.parts.clear();
  }

  valueAt(keys: PathKeys): unknown {
    return this.fetched(keys).valueAt(keys);
  }

  textAt(keys: PathKeys): JsonText | undefined {
    return this.fetched(keys).textAt(keys);
  }

  private fetched(keys: PathKeys): FetchedParts {
    if (!this.parts.has(keys)) throw new Error(`The output of ${this.stepName} is read before it is fetched.`);
    return this.parts;
  }
}
