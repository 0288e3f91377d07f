import { DomainError } from './domain-error';

/**
 * Thrown when a trigger cannot be registered or unregistered. The flow stays as it was, unless the message says that it is
 * disabled now.
 */
export class TriggerRegistrationError extends DomainError {
  readonly code = 'FLOW_VERSION_INVALID';

  constructor(flowVersionId: string, stepName: string, message: string, options?: { cause?: unknown }) {
    super(message, { flowVersionId, problems: [{ stepName, message }] }, options);
  }
}
