import type { RecordedStep } from './step-record';

/** The tags that finished steps gave their run, each once: for an ending that does not come from walking the run. */
export const tagsOnRecord = (recorded: readonly RecordedStep[]): string[] => [
  ...new Set(recorded.flatMap(({ effects }) => effects?.tags ?? [])),
];
