import { DomainError } from './domain-error';
import { shownId } from './shown-id';

export type EntityType =
  | 'flow'
  | 'flow_run'
  | 'flow_version'
  | 'step'
  | 'paced_retry'
  | 'request'
  | 'folder'
  | 'template'
  | 'sample_data'
  | 'project'
  | 'project_member'
  | 'user_invitation'
  | 'user'
  | 'api_key'
  | 'connection'
  | 'store_entry'
  | 'event_destination'
  | 'event_delivery'
  | 'piece'
  | 'oauth_app'
  | 'file'
  | 'job';

/** Thrown when an id names nothing that the caller may see. An entity of another project counts as unknown. */
export class EntityNotFoundError extends DomainError {
  readonly code = 'ENTITY_NOT_FOUND';

  /** Of what is named by a token, and not by an id. */
  static byToken(entityType: EntityType): EntityNotFoundError {
    const what = entityType.replaceAll('_', ' ');
    return new EntityNotFoundError(
      entityType,
      '',
      undefined,
      `There is no open ${what} with this token for this address.`,
    );
  }

  /** `which` ends the sentence when only some entities of the type count: "that a webhook starts". */
  constructor(entityType: EntityType, entityId: string, which?: string, message?: string) {
    const id = shownId(entityId);
    const sentence = `There is no ${entityType.replaceAll('_', ' ')} with the id ${JSON.stringify(id)}`;
    super(message ?? (which === undefined ? `${sentence}.` : `${sentence} ${which}.`), { entityType, entityId: id });
  }
}
