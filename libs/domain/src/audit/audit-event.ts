import type { Page, PageRequest } from '../page';

/** What the audit log tells. The list grows; a name is never changed. */
export const AUDIT_ACTIONS = [
  'user.signed_in',
  'user.sign_in_refused',
  'user.identity_linked',
  'user.identity_unlinked',
  'api_key.created',
  'api_key.deleted',
  'project_member.added',
  'project_member.role_changed',
  'project_member.removed',
  'flow.published',
  'flow.enabled',
  'flow.disabled',
  'flow.deleted',
  'connection.upserted',
  'connection.deleted',
  'connection.used',
  'piece.installed',
  'piece.removed',
  'oauth_app.upserted',
  'oauth_app.deleted',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export type AuditTargetType = 'user' | 'api_key' | 'project_member' | 'flow' | 'connection' | 'piece' | 'oauth_app';

/** Who did something, and from where. */
export interface AuditActor {
  /** The user's id, `api_key:<id>`, `anonymous` without good credentials, or `service` for what nobody asked for. */
  actor: string;
  /** The address of the request; null for what did not come by one. */
  address: string | null;
}

/** One line of the log. It never holds a secret, and is never changed. */
export interface AuditEvent extends AuditActor {
  id: string;
  created: Date;
  /** Null for what belongs to no project. */
  projectId: string | null;
  action: AuditAction;
  targetType: AuditTargetType;
  targetId: string;
  /** Facts about the target at that time: names, types and roles. */
  details: Readonly<Record<string, string | null>>;
}

export type NewAuditEvent = Pick<AuditEvent, 'projectId' | 'action' | 'targetType' | 'targetId' | 'details'>;

export interface AuditFilter {
  projectIds: readonly string[] | 'any';
  actions?: readonly AuditAction[];
  actor?: string;
  targetId?: string;
  createdAfter?: Date;
  createdBefore?: Date;
}

/** The flows that used a connection. */
export interface ConnectionUsage {
  projectId: string;
  connectionId: string;
  externalId: string;
  flowId: string;
}

/** The append-only log of who did what. */
export abstract class AuditLog {
  /** Writes what has no transaction of its own. The actor is that of the request, unless `by` names another. */
  abstract record(event: NewAuditEvent, by?: AuditActor): Promise<void>;
  /** Records uses of connections: each connection and flow at most once an hour, over all processes. */
  abstract recordUses(uses: readonly ConnectionUsage[]): Promise<void>;
  /** Lists the events, newest first. */
  abstract list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEvent>>;
}
