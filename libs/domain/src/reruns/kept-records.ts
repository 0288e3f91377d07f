import type { FlowRun } from '../runs/flow-run';
import { isInside, stepNameOf } from '../journal/step-path';
import { RecordedRun } from '../journal/recorded-run';
import { isFinished, isLoop, itemsOnRecord, type RecordedStep } from '../journal/step-record';

// Which records of an ended run a new run keeps.
//
// K1. Only the last record of a path counts.
// K2. Records of unfinished steps are not kept, except those of loops: a loop continues over the items it began with,
//     so that the same index means the same item.
// K3. Links of the old run lead to the old run, so the new run opens its own requests. The new run keeps neither a step
//     whose links have no answer yet nor the steps after it, because this step has to create new links.

/**
 * The records that a new run keeps to continue where the ended run failed or, without a failed step, where it was. A
 * failed step that did not fail the run counts as executed.
 */
export function keptRecords(
  recorded: readonly RecordedStep[],
  { failedStep }: Pick<FlowRun, 'failedStep'>,
): RecordedStep[] {
  const records = new RecordedRun(recorded).lastOfEachPath();
  const failing =
    failedStep && records.findLast((record) => stepNameOf(record.path) === failedStep.name && failsTheRun(record));
  const unanswered = firstUnanswered(records, recorded);
  const end = unanswered ? records.indexOf(unanswered) : records.length;
  return records.flatMap((record, index) => {
    if (record === failing) return [];
    const isLeftOpen = record.status !== 'SUCCEEDED' || isAround(record, failing) || isAround(record, unanswered);
    if (isLoop(record) && isLeftOpen) return index < end || isAround(record, unanswered) ? begunLoop(record) : [];
    return isFinished(record) && index < end ? [takenOver(record)] : [];
  });
}

/** The first step that opened a request for which no step has finished waiting. */
function firstUnanswered(
  records: readonly RecordedStep[],
  recorded: readonly RecordedStep[],
): RecordedStep | undefined {
  const isAnswered = answeredIn(records, recorded);
  return records.find((record) => isFinished(record) && !isAnswered(record));
}

/** Whether each request that a step opened was waited for to the end by a step that has finished in these records. */
export function answeredIn(
  records: readonly RecordedStep[],
  recorded: readonly RecordedStep[],
): (record: RecordedStep) => boolean {
  const finished = new Set(records.filter(isFinished).map(({ path }) => path));
  const answered = new Set(recorded.flatMap(({ path, wait }) => (wait && finished.has(path) ? [wait.requestId] : [])));
  return ({ effects }) => effects?.opens?.every(({ requestId }) => answered.has(requestId)) ?? true;
}

const isAround = (loop: RecordedStep, step: RecordedStep | undefined): boolean =>
  step !== undefined && isInside(step.path, loop.path);

/** The record of the loop as if it had begun over its items and had not ended; no record when it had no items. */
export function begunLoop(loop: RecordedStep): RecordedStep[] {
  const items = itemsOnRecord(loop);
  if (!items) return [];
  const references = loop.references?.input && { references: { input: loop.references.input } };
  const { path } = loop;
  return [{ path, type: 'LOOP_ON_ITEMS', status: 'RUNNING', duration: 0, input: { items }, ...references }];
}

/** The record as it is in the new run, in which the step opened no request and did not execute. */
export function takenOver({ startedAfter: _startedAfter, waited: _waited, ...record }: RecordedStep): RecordedStep {
  if (!record.effects?.opens) return record;
  const { opens: _opens, ...effects } = record.effects;
  return { ...record, effects };
}

const failsTheRun = ({ status, effects }: RecordedStep): boolean => status === 'FAILED' || effects?.stop !== undefined;
