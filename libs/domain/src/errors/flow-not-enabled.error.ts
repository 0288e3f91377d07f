import { DomainError } from './domain-error';

/** Thrown when a run is asked for by name of a flow that is not enabled: 409, unlike a webhook's FlowDisabledError. */
export class FlowNotEnabledError extends DomainError {
  readonly code = 'FLOW_DISABLED';
  override readonly statusCode = 409;

  constructor(flowId: string) {
    super(`The flow ${flowId} is not enabled.`, { flowId });
  }
}
