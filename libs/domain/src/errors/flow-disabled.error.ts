import { DomainError } from './domain-error';

/** Thrown when a webhook asks for a run of a flow that is not enabled. */
export class FlowDisabledError extends DomainError {
  readonly code = 'FLOW_DISABLED';

  constructor(flowId: string) {
    super(`The flow ${flowId} is disabled.`, { flowId });
  }
}
