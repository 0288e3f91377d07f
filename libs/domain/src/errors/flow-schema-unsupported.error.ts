import { DomainError } from './domain-error';

/** Thrown when an import has a schema version that cannot be migrated. */
export class FlowSchemaUnsupportedError extends DomainError {
  readonly code = 'FLOW_SCHEMA_UNSUPPORTED';

  constructor(schemaVersion: string) {
    super(`Flows of schema version ${JSON.stringify(schemaVersion)} cannot be imported.`, { schemaVersion });
  }
}
