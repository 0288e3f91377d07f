import { DomainError } from './domain-error';

/** Thrown when a version that is not valid would be published or enabled. */
export class FlowVersionInvalidError extends DomainError {
  readonly code = 'FLOW_VERSION_INVALID';

  constructor(flowVersionId: string, problems: readonly { stepName: string; message: string }[]) {
    const first = problems[0];
    super(
      first
        ? `The flow cannot be published: step ${first.stepName}: ${first.message}`
        : 'The flow cannot be published.',
      { flowVersionId, problems },
    );
  }
}
