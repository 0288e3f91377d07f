import { DomainError } from './domain-error';

/**
 * Thrown when a caller publishes, enables or tests a version that is not valid. `refusal` is a sentence without its
 * full stop.
 */
export class FlowVersionInvalidError extends DomainError {
  readonly code = 'FLOW_VERSION_INVALID';

  constructor(
    flowVersionId: string,
    problems: readonly { stepName: string; message: string }[],
    refusal = 'The flow cannot be published',
  ) {
    const first = problems[0];
    super(first ? `${refusal}: step ${first.stepName}: ${first.message}` : `${refusal}.`, { flowVersionId, problems });
  }
}
