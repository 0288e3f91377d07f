import { tagsOnRecord, type RecordedStep } from '@millrace/domain';

const COUNTED: ReadonlySet<RecordedStep['status']> = new Set(['SUCCEEDED', 'FAILED', 'PAUSED']);

/** What a run's ending says of its steps when nobody walks it any more: as the engine counts them. */
export const recordedOutcome = (recorded: readonly RecordedStep[]) => ({
  stepsCount: new Set(recorded.filter(({ status }) => COUNTED.has(status)).map(({ path }) => path)).size,
  tags: tagsOnRecord(recorded),
});
