import type { JsonText, OutputFile } from '@millrace/domain';
import type { PathKeys } from '../expressions/path';
import type { ScopeEntry } from '../expressions/scope';
import { JsonValue } from './json-value';
import type { OutputReader } from './output-reader';

/** An entry that holds, of what is kept outside the run, only what one step reads, and only while its input is resolved. */
export interface FetchingEntry extends ScopeEntry {
  /** Makes the parts readable that these paths name. False: the reader says why not. */
  fetch(paths: readonly PathKeys[], reader: OutputReader): Promise<boolean>;
  drop(): void;
}

export const isFetching = (entry: ScopeEntry): entry is FetchingEntry => 'fetch' in entry;

/** Parts of large outputs by their paths. */
export class FetchedParts {
  private readonly parts = new Map<string, JsonText | undefined>();

  /** False when it is too much to hold. */
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

/** The output of a step that is too large to stay with the run. */
export class KeptOutput implements FetchingEntry {
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
