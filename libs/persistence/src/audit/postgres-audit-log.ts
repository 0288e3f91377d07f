import {
  AuditLog,
  firstIdAt,
  timeOfDay,
  type AuditActor,
  type AuditEvent,
  type AuditFilter,
  type ConnectionUsage,
  type NewAuditEvent,
  type Page,
  type PageRequest,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { inSlice, inSliceOrder, StatementValues } from '../lists/list-statement';
import { readPage, type Slice } from '../lists/page-cursor';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { insertAuditEvent, insertConnectionUses } from './audit-event.statements';

const COLUMNS = `
  id, created, project_id as "projectId", actor, address, action, target_type as "targetType",
  target_id as "targetId", details`;

@Injectable()
export class PostgresAuditLog extends AuditLog {
  constructor(private readonly pool: Pool) {
    super();
  }

  async record(event: NewAuditEvent, by?: AuditActor): Promise<void> {
    await insertAuditEvent(this.pool, event, by).catch(asNamedError);
  }

  async recordUses(uses: readonly ConnectionUsage[]): Promise<void> {
    await insertConnectionUses(this.pool, uses, new Date(timeOfDay.nowMs())).catch(asNamedError);
  }

  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEvent>> {
    return readPage(page, ['audit events', filter], (slice) => this.read(filter, slice));
  }

  private async read(filter: AuditFilter, slice: Slice): Promise<AuditEvent[]> {
    const values = new StatementValues();
    const where = [...conditionsOf(filter, values), inSlice('id', slice, values)].join(' and ');
    const text = `select ${COLUMNS} from audit_event where ${where} ${inSliceOrder('id', slice)}`;
    return (await this.pool.query<AuditEvent>(text, values.all).catch(asNamedError)).rows;
  }
}

// The ids are in order of creation, so times become bounds of ids.
function conditionsOf(filter: AuditFilter, values: StatementValues): string[] {
  const { projectIds, actions, actor, targetId, createdAfter, createdBefore } = filter;
  return [
    ...(projectIds === 'any' ? [] : [`project_id = any(${values.ids(projectIds)})`]),
    ...(actions ? [`action = any(${values.texts(actions)})`] : []),
    ...(actor === undefined ? [] : [`actor = ${values.text(actor)}`]),
    ...(targetId === undefined ? [] : [`target_id = ${values.text(targetId)}`]),
    ...(createdAfter ? [`id >= ${values.id(firstIdAt(createdAfter))}`] : []),
    ...(createdBefore ? [`id < ${values.id(firstIdAt(createdBefore))}`] : []),
  ];
}

function asNamedError(error: unknown): never {
  throw nameDatabaseError(error);
}
