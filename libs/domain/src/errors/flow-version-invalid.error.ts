import { DomainError } from './domain-error';

/** Thrown when a version that is not valid would be published, enabled or tested. `refusal` is a sentence without its full stop. */
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
