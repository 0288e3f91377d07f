import { DomainError } from './domain-error';

/** Thrown when the test of a trigger finds nothing out, for example because its source is away. */
export class TriggerTestFailedError extends DomainError {
  readonly code = 'TRIGGER_TEST_FAILED';

  /** `reason` is one sentence: what the source has answered, or what is wrong with that. */
  constructor(flowVersionId: string, stepName: string, reason: string) {
    super(reason, { flowVersionId, stepName });
  }
}
