import {
  indexInside,
  isInside,
  iterationPrefix,
  pathIn,
  stepNameOf,
  type JsonText,
  type RecordedStep,
  type StepPath,
} from '@millrace/domain';
import type { PathKeys } from '@millrace/domain';
import type { ScopeEntry } from '../expressions/scope';
import { JsonValue } from './json-value';
import { FetchedParts, type FetchingEntry } from './offloaded-output';
import type { OutputReader } from './output-reader';

/**
 * The output of a loop in one iteration: `{item, index}`. The index counts from 1 and is 0 before the first iteration.
 */
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

/** All iterations of a finished loop, for expressions that read more than the last one. */
export interface WholeLoop {
  name: string;
  /** The records of the loop and its body. Their paths begin at the iteration in which the loop itself stands. */
  records: () => readonly RecordedStep[];
  /** Builds the loop's output from its records, with a step map for each iteration. */
  outputIn: (records: readonly RecordedStep[]) => unknown;
}

/**
 * The output of a finished loop: its last iteration, and a step map of all iterations, which is built when an
 * expression reads it. The map has offloaded outputs of the body only while a step reads them, and only those that the
 * step's paths can reach.
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
      inMap.forEach(({ outputFile }) => reader.release(outputFile?.bytes ?? 0));
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
        const text = reader.mayHold(outputFile.bytes) ? await reader.read(stepNameOf(record.path), outputFile) : null;
        if (text === null) return null;
        filled.push({ ...step, output: JSON.parse(text) });
      }
    }
    return filled;
  }
}

const isOfLast = ([key]: PathKeys): boolean => key === 'item' || key === 'index';

/**
 * Whether this path into the loop, for example `iterations[2].step.output`, can reach the output of the step at `path`.
 */
function mayComeTo([, index, stepName, member]: PathKeys, loop: StepPath, path: StepPath): boolean {
  if (typeof index === 'string' || (member !== undefined && member !== 'output')) return false;
  if (index === undefined) return isInside(path, loop);
  if (indexInside(path, loop) !== index) return false;
  if (stepName === undefined) return true;
  const step = pathIn(iterationPrefix(loop, index), String(stepName));
  return path === step || isInside(path, step);
}
