import type { RecordedStep } from './step-record';

// What a run's records say of it, for an ending that does not come from walking the run.

/** The tags that finished steps gave their run, each once. */
export const tagsOnRecord = (recorded: readonly RecordedStep[]): string[] => [
  ...new Set(recorded.flatMap(({ effects }) => effects?.tags ?? [])),
];

/** A run's `stepsCount`: a step that has several records, because it waited or was tried again, counts once. */
export const stepsCountOnRecord = (recorded: readonly RecordedStep[]): number =>
  new Set(recorded.filter(({ status }) => status !== 'RUNNING' && status !== 'STOPPED').map(({ path }) => path)).size;
