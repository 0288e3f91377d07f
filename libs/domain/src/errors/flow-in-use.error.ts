import { DomainError } from './domain-error';

/** Thrown when another principal changed the flow less than a minute ago. */
export class FlowInUseError extends DomainError {
  readonly code = 'FLOW_IN_USE';

  constructor(flowVersionId: string, updatedBy: string, until: Date) {
    super(`${updatedBy} is editing this flow; it can be changed again at ${until.toISOString()}.`, { flowVersionId });
  }
}
