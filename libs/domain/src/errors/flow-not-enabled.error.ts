import { DomainError } from './domain-error';

/**
 * Thrown when a caller names a flow to run that is not enabled. The status is 409, unlike that of FlowDisabledError.
 */
export class FlowNotEnabledError extends DomainError {
  readonly code = 'FLOW_DISABLED';
  override readonly statusCode = 409;

  constructor(flowId: string) {
    super(`The flow ${flowId} is not enabled.`, { flowId });
  }
}
