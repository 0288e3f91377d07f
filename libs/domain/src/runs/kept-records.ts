import type { FlowRun } from './flow-run';
import type { RecordedStep } from './step-record';

// What another run takes over from the records of one that has ended.
//
// K1. Of a path only the last record counts.
// K2. What did not finish is not taken over, but for loops: one that had begun goes on over the items it began with, so
//     that the same index means the same item.
// K3. Links that the old run gave away lead to the old run: the new one opens requests of its own.

/**
 * What a run keeps that goes on where this one failed, or, when it ended in another way, where it was. A step that
 * failed without failing the run is as good as executed.
 */
export function keptRecords(
  recorded: readonly RecordedStep[],
  { failedStep }: Pick<FlowRun, 'failedStep'>,
): RecordedStep[] {
  const records = lastOfEachPath(recorded);
  const failing = failedStep && records.findLast((record) => nameOf(record) === failedStep.name && failsTheRun(record));
  return records.flatMap((record) => {
    if (record === failing) return [];
    if (isLoop(record) && (record.status !== 'SUCCEEDED' || failing?.path.startsWith(`${record.path}[`)))
      return begunLoop(record);
    return isFinished(record) ? [withoutRequests(record)] : [];
  });
}

/** In the order in which they came last. */
export function lastOfEachPath(recorded: readonly RecordedStep[]): RecordedStep[] {
  const last = new Map<string, RecordedStep>();
  for (const record of recorded) {
    last.delete(record.path);
    last.set(record.path, record);
  }
  return [...last.values()];
}

/** The loop as one that has begun over its items and has not ended; nothing when it had none. */
export function begunLoop({ path, input }: RecordedStep): RecordedStep[] {
  const items = (input as { items?: unknown } | null | undefined)?.items;
  if (!Array.isArray(items)) return [];
  return [{ path, type: 'LOOP_ON_ITEMS', status: 'RUNNING', duration: 0, input: { items } }];
}

export function withoutRequests(record: RecordedStep): RecordedStep {
  if (!record.effects?.opens) return record;
  const { opens: _opens, ...effects } = record.effects;
  return { ...record, effects };
}

export const isFinished = ({ status }: RecordedStep): boolean => status === 'SUCCEEDED' || status === 'FAILED';

export const isLoop = ({ type }: RecordedStep): boolean => type === 'LOOP_ON_ITEMS';

const nameOf = ({ path }: RecordedStep): string => path.slice(path.lastIndexOf('.') + 1);

const failsTheRun = ({ status, effects }: RecordedStep): boolean => status === 'FAILED' || effects?.stop !== undefined;
