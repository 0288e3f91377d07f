import { DomainError } from './domain-error';

/** Thrown when a change of a flow has to wait until its trigger is enabled by another change. */
export class TriggerInUseError extends DomainError {
  readonly code = 'FLOW_IN_USE';

  constructor(flowVersionId: string) {
    super('Another change is enabling the trigger of this flow. Try again in a minute.', { flowVersionId });
  }
}
