import type { AuditAction, EventKind, NewAuditEvent } from '@millrace/domain';

// The changes that are both an event for other systems and a line of the audit log.

/** The facts about the target that the log keeps, by the action. All other members of the data are left out. */
const FACTS: Partial<Record<EventKind & AuditAction, readonly string[]>> = {
  'flow.published': ['publishedVersionId'],
  'flow.enabled': [],
  'flow.disabled': [],
  'flow.deleted': [],
  'connection.upserted': ['externalId', 'type'],
  'connection.deleted': ['externalId', 'type'],
  'project_member.added': ['userId', 'role'],
  'project_member.removed': ['userId', 'role'],
};

/** The line of the audit log for an event; null when the log does not tell of it. */
export function auditEventOf(kind: EventKind, projectId: string, data: object): NewAuditEvent | null {
  const action = kind as EventKind & AuditAction;
  const facts = FACTS[action];
  if (!facts) return null;
  const members = data as Readonly<Record<string, unknown>>;
  const details = Object.fromEntries(facts.map((name) => [name, textOf(members[name])]));
  const targetType = action.slice(0, action.indexOf('.')) as NewAuditEvent['targetType'];
  return { projectId, action, targetType, targetId: String(members['id']), details };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
