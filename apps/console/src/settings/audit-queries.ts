import { queryOptions } from '@tanstack/react-query';
import { answerOf, GET, type Schemas } from '../api/client';

export type AuditEvent = Schemas['AuditEvent'];
export type AuditAction = AuditEvent['action'];

/** What the log is searched for. */
export interface AuditFilters {
  /** undefined lists the events of all projects, and those of none. */
  projectId: string | undefined;
  action: AuditAction | undefined;
  actor: string | undefined;
  targetId: string | undefined;
  cursor: string | undefined;
}

const PAGE_SIZE = 50;

export const auditQuery = ({ action, ...filters }: AuditFilters) =>
  queryOptions({
    queryKey: ['audit', filters.projectId, action, filters],
    queryFn: ({ signal }) => {
      const query = { ...filters, action: action && [action], limit: PAGE_SIZE };
      return answerOf(GET('/api/v1/audit-events', { params: { query }, signal }));
    },
  });
