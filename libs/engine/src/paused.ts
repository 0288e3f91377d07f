import type { NewWait, RunResponse } from '@millrace/domain';

/** The run waits: nothing in it can go on before one of its waits ends. */
export interface Paused {
  kind: 'paused';
  /** All that go on, also those that began in an earlier walk: only the journal knows which of them have a row. */
  waits: readonly NewWait[];
  /** As of a run's outcome. */
  stepsCount: number;
  tags: readonly string[];
  response?: RunResponse;
}
