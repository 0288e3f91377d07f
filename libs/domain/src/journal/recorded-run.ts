import { isInside, type StepPath } from './step-path';
import type { RunResponse } from './step-effects';
import { countsAsStep, type RecordedStep } from './step-record';
import type { StepWait } from './step-wait';
import { addTags } from './tags';

/**
 * What the records of one run say together. The records are in the order of writing. A step has several records when it
 * waited, when it was tried again, or when it is a loop that was recorded before it ended; its last record counts.
 */
export class RecordedRun {
  private lastByPath: ReadonlyMap<StepPath, RecordedStep> | undefined;
  private counted: ReadonlySet<StepPath> | undefined;

  constructor(readonly records: readonly RecordedStep[]) {}

  /** The last record of the step. */
  at(path: StepPath): RecordedStep | undefined {
    return this.records.length === 0 ? undefined : this.byPath.get(path);
  }

  /** The last record of each step inside the loop, in the order in which the steps were first recorded. */
  inside(loop: StepPath): RecordedStep[] {
    return [...this.byPath.values()].filter(({ path }) => isInside(path, loop));
  }

  /** The last record of each step, in the order in which these records were written. */
  lastOfEachPath(): RecordedStep[] {
    return this.records.filter((record) => this.byPath.get(record.path) === record);
  }

  /** The `stepsCount` of the run. A step with several records counts once. */
  get stepsCount(): number {
    return this.countedPaths.size;
  }

  /** Whether a record of the step is part of `stepsCount`. */
  isCounted(path: StepPath): boolean {
    return this.records.length > 0 && this.countedPaths.has(path);
  }

  /** The tags that the steps added to the run. */
  get tags(): readonly string[] {
    return this.records.reduce<readonly string[]>(
      (tags, { effects }) => (effects?.tags ? addTags(tags, effects.tags) : tags),
      [],
    );
  }

  /** The answer of the run, which is its first response; null when it has none. */
  get response(): RunResponse | null {
    return this.records.find(({ effects }) => effects?.response)?.effects?.response ?? null;
  }

  /** The ids of the waits that have not ended, and of ended waits whose steps have not finished since. */
  get waitIds(): Set<string> {
    const waitsByPath = new Map<StepPath, readonly StepWait[]>();
    for (const { path, wait, retryWait } of this.records) {
      const waits = [wait, retryWait].filter((each) => each !== undefined);
      if (waits.length > 0) waitsByPath.set(path, waits);
      else waitsByPath.delete(path);
    }
    return new Set([...waitsByPath.values()].flat().map(({ requestId }) => requestId));
  }

  private get byPath(): ReadonlyMap<StepPath, RecordedStep> {
    return (this.lastByPath ??= new Map(this.records.map((record) => [record.path, record])));
  }

  private get countedPaths(): ReadonlySet<StepPath> {
    return (this.counted ??= new Set(this.records.filter(countsAsStep).map(({ path }) => path)));
  }
}
