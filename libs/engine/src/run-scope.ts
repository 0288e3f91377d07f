import { JsonValue, type ScopeEntry } from './json-value';
import type { PathKeys } from './expressions/path';
import type { JsonText, RecordedStep } from '@millrace/domain';
import { FetchedParts, type FetchingEntry } from './kept-output';
import type { OutputReader } from './output-reader';
import { WebhookOutput } from './webhook-output';

/**
 * What expressions see, and where their step stands. Each iteration of a loop has a scope of its own inside the scope
 * of the loop: steps of the body are gone when it ends, and while it lasts the loop's name means its current item.
 * Children of a router stand in the router's scope.
 */
export class RunScope {
  private readonly entries = new Map<string, ScopeEntry>();

  private constructor(
    private readonly outer: RunScope | null,
    readonly pathPrefix: string,
  ) {}

  static ofRun(variables: Readonly<Record<string, ScopeEntry>>): RunScope {
    const scope = new RunScope(null, '');
    for (const [name, entry] of Object.entries(variables)) scope.set(name, entry);
    return scope;
  }

  /** The scope of one iteration; its index in the path counts from 0. */
  ofIteration(loopName: string, iteration: LoopIteration): RunScope {
    const scope = new RunScope(this, `${this.pathOf(loopName)}[${iteration.index - 1}].`);
    scope.set(loopName, iteration);
    return scope;
  }

  pathOf(stepName: string): string {
    return this.pathPrefix + stepName;
  }

  set(name: string, entry: ScopeEntry): void {
    this.entries.set(name, entry);
  }

  /** Sets a variable of the run, wherever in it this scope is. */
  setForRun(name: string, entry: ScopeEntry): void {
    if (this.outer) this.outer.setForRun(name, entry);
    else this.set(name, entry);
  }

  find(name: string): ScopeEntry | undefined {
    const entry = this.entries.get(name);
    return entry ?? this.outer?.find(name);
  }

  /** The named variables as one JSON object, for code that looks at them. */
  textOf(names: readonly string[], withRawBody = false): JsonText {
    const members: string[] = [];
    for (const name of names) {
      const entry = this.find(name);
      const text = withRawBody && entry instanceof WebhookOutput ? entry.completeText : entry?.textAt([]);
      if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
    }
    return `{${members.join(',')}}`;
  }
}

/** A loop's own output at one moment: `{item, index}`, the index counting from 1; 0 before the first. */
export class LoopIteration implements ScopeEntry {
  static readonly NONE = new LoopIteration(null, 0);
  private readonly item: JsonValue;

  constructor(
    item: unknown,
    readonly index: number,
  ) {
    this.item = JsonValue.ofValue(item);
  }

  get text(): JsonText {
    return `{"item":${this.item.text},"index":${this.index}}`;
  }

  get value(): { item: unknown; index: number } {
    return { item: this.item.value, index: this.index };
  }

  valueAt([key, ...rest]: PathKeys): unknown {
    if (key === undefined) return this.value;
    if (key === 'item') return this.item.valueAt(rest);
    return key === 'index' && rest.length === 0 ? this.index : undefined;
  }

  textAt([key, ...rest]: PathKeys): JsonText | undefined {
    if (key === undefined) return this.text;
    if (key === 'item') return this.item.textAt(rest);
    return key === 'index' && rest.length === 0 ? String(this.index) : undefined;
  }
}

/** All iterations of a finished loop, for expressions that read more of it than its last one. */
export interface WholeLoop {
  name: string;
  /** Of the loop and its body, with paths that begin with the loop's name. */
  records: () => readonly RecordedStep[];
  /** The loop's output as a step map of each iteration. */
  outputIn: (records: readonly RecordedStep[]) => unknown;
}

/**
 * A finished loop: its last iteration, and all iterations as a step map, built when an expression reads them. Large
 * outputs of its body are in the map only while a step reads them, and only those that its paths can come to.
 */
export class FinishedLoop implements FetchingEntry {
  private built: JsonValue | undefined;
  private hasFiles: boolean | undefined;
  private readonly parts = new FetchedParts();

  constructor(
    private readonly last: ScopeEntry,
    private readonly loop: WholeLoop,
  ) {}

  async fetch(paths: readonly PathKeys[], reader: OutputReader): Promise<boolean> {
    const beyondLast = paths.filter((keys) => !isOfLast(keys));
    this.hasFiles ??= beyondLast.length > 0 ? this.loop.records().some(({ outputFile }) => outputFile) : undefined;
    if (beyondLast.length === 0 || !this.hasFiles) return true;
    const records = this.loop.records();
    for (const keys of beyondLast) {
      const inMap = records.filter(({ outputFile, path }) => outputFile && mayComeTo(keys, this.loop.name, path));
      if (inMap.length === 0) continue;
      const filled = await this.filled(records, new Set(inMap), reader);
      if (!filled || !this.parts.add(keys, JsonValue.ofValue(this.loop.outputIn(filled)), reader)) return false;
      inMap.forEach(({ outputFile }) => reader.letGo(outputFile?.bytes ?? 0));
    }
    return true;
  }

  drop(): void {
    this.parts.clear();
  }

  valueAt(keys: PathKeys): unknown {
    return this.parts.has(keys) ? this.parts.valueAt(keys) : this.entryFor(keys).valueAt(keys);
  }

  textAt(keys: PathKeys): JsonText | undefined {
    return this.parts.has(keys) ? this.parts.textAt(keys) : this.entryFor(keys).textAt(keys);
  }

  private entryFor(keys: PathKeys): ScopeEntry {
    if (isOfLast(keys)) return this.last;
    return (this.built ??= JsonValue.ofValue(this.loop.outputIn(this.loop.records())));
  }

  private async filled(
    records: readonly RecordedStep[],
    wanted: ReadonlySet<RecordedStep>,
    reader: OutputReader,
  ): Promise<RecordedStep[] | null> {
    const filled: RecordedStep[] = [];
    for (const record of records) {
      const { outputFile, ...step } = record;
      if (!outputFile || !wanted.has(record)) filled.push(record);
      else {
        const text = reader.mayHold(outputFile.bytes) ? await reader.read(nameAt(record.path), outputFile) : null;
        if (text === null) return null;
        filled.push({ ...step, output: JSON.parse(text) });
      }
    }
    return filled;
  }
}

const nameAt = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

const isOfLast = ([key]: PathKeys): boolean => key === 'item' || key === 'index';

/** Whether `iterations[2].step.output` and the like, or what is inside, can hold the output of the step at this path. */
function mayComeTo([, index, stepName, member]: PathKeys, loopName: string, path: string): boolean {
  if (typeof index === 'string' || (member !== undefined && member !== 'output')) return false;
  const start = index === undefined ? `${loopName}[` : `${loopName}[${index}].`;
  if (stepName === undefined) return path.startsWith(start);
  return path === `${start}${stepName}` || path.startsWith(`${start}${stepName}[`);
}
