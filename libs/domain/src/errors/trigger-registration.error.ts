import { DomainError } from './domain-error';

/**
 * Thrown when a trigger cannot be registered. `reason` is its sentences, or those of the other service. The flow stays as
 * it was, unless they say that it is disabled now.
 */
export class TriggerRegistrationError extends DomainError {
  readonly code = 'FLOW_VERSION_INVALID';

  constructor(flowVersionId: string, stepName: string, reason: string, options?: { cause?: unknown }) {
    super(
      `The trigger cannot be registered: ${reason}`,
      { flowVersionId, problems: [{ stepName, message: reason }] },
      options,
    );
  }
}
