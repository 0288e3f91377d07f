import type { AuditEvent } from './audit-queries';

/** By id. Who or what is not there any more has no name. */
export type Names = ReadonlyMap<string, string>;

/** What people call that which was changed, by its name now or in the log. */
export function targetName({ targetId, details }: Pick<AuditEvent, 'targetId' | 'details'>, names: Names) {
  const { userId, displayName, externalId } = details;
  const known = names.get(targetId) ?? names.get(userId ?? '');
  return known ?? displayName ?? externalId ?? undefined;
}

/** The facts of an event, with names in place of ids: `flow: Order intake`. */
export const detailWords = (details: AuditEvent['details'], names: Names): string =>
  Object.entries(details)
    .filter(([, value]) => value !== null)
    .map(([fact, value]) => {
      const known = names.get(value ?? '');
      return known === undefined ? `${fact}: ${value}` : `${fact.replace(/Id$/, '')}: ${known}`;
    })
    .join(', ');
