import { DomainError } from './domain-error';

/** Thrown when an operation does not fit the flow it is applied to. */
export class FlowOperationInvalidError extends DomainError {
  readonly code = 'FLOW_OPERATION_INVALID';
}
