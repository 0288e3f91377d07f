import { DomainError } from './domain-error';

/** Who changed a flow last, and when somebody else may change it. */
interface Editing {
  flowVersionId: string;
  /** The name under which the change is recorded: a user's id, or `api_key:<id>`. */
  updatedBy: string;
  until: Date;
}

/** Thrown when another principal changed the flow less than a minute ago. */
export class FlowInUseError extends DomainError {
  readonly code = 'FLOW_IN_USE';

  /** `updatedByName` is what people call whoever changed the flow; null when it is not known. */
  constructor(
    readonly editing: Editing,
    updatedByName: string | null = null,
  ) {
    const { flowVersionId, updatedBy } = editing;
    const until = editing.until.toISOString();
    const who = updatedByName ?? updatedBy;
    super(`${who} is editing this flow; it can be changed again at ${until}.`, {
      flowVersionId,
      updatedBy,
      updatedByName,
      until,
    });
  }
}
