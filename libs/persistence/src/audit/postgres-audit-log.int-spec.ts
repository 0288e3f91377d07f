import { actingAs, type AuditEvent, type ConnectionUsage, type NewAuditEvent } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { insertEvents } from '../event-destinations/new-event.statements';
import { AuditRetention } from '../maintenance/audit-retention';
import { openHotPool } from '../postgres/hot-pool';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresAuditLog } from './postgres-audit-log';

const PAGE = { limit: 10, cursor: null };

describe('PostgresAuditLog', () => {
  let database: TestDatabase;
  let pool: Pool;
  let log: PostgresAuditLog;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'audit test');
    log = new PostgresAuditLog(pool);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(() => {
    projectId = anId();
  });

  const event = (more: Partial<NewAuditEvent> = {}): NewAuditEvent => ({
    projectId,
    action: 'api_key.created',
    targetType: 'api_key',
    targetId: 'k',
    details: { role: 'ADMIN' },
    ...more,
  });
  const eventsOf = async (project = projectId) => (await log.list({ projectIds: [project] }, PAGE)).data;
  const ada = { actor: 'ada', address: '192.0.2.1' };

  it('keeps who did what from where, newest first', async () => {
    await log.record(event(), ada);
    await actingAs({ actor: 'api_key:1', address: null }, () => log.record(event({ action: 'api_key.deleted' })));
    await log.record(event({ targetId: 'x\0' }));

    expect(await eventsOf()).toEqual([
      expect.objectContaining({ actor: 'service', targetId: 'x\0'.replace('\0', '\ufffd') }),
      expect.objectContaining({ actor: 'api_key:1', address: null, action: 'api_key.deleted' }),
      { ...event(), ...ada, id: expect.any(String) as string, created: expect.any(Date) as Date },
    ]);
  });

  it('tells of changes that are events too, in their transaction, with chosen facts alone', async () => {
    const id = anId();
    const connection = { id, externalId: 'crm', type: 'SECRET_TEXT', secret: 'sk-plain' };

    await actingAs(ada, () => insertEvents(pool, projectId, ['connection.upserted', 'flow.updated'], connection));

    expect(await eventsOf()).toMatchObject([
      { ...ada, action: 'connection.upserted', targetId: id, details: { externalId: 'crm', type: 'SECRET_TEXT' } },
    ]);
    expect(JSON.stringify(await eventsOf())).not.toContain('sk-plain');
  });

  it('finds events by project, action, actor, target and time, page by page', async () => {
    for (const targetId of ['a', 'b', 'c']) await log.record(event({ targetId }), ada);
    await log.record(event({ targetId: 'd', action: 'flow.deleted', targetType: 'flow' }));
    const targets = async (filter: object, limit = 10, cursor: string | null = null) => {
      const page = await log.list({ projectIds: [projectId], ...filter }, { limit, cursor });
      return { ids: page.data.map(({ targetId }: AuditEvent) => targetId).join(''), next: page.next };
    };

    expect((await targets({})).ids).toBe('dcba');
    expect((await targets({ actions: ['flow.deleted'] })).ids).toBe('d');
    expect((await targets({ actor: 'ada' })).ids).toBe('cba');
    expect((await targets({ targetId: 'b' })).ids).toBe('b');
    expect((await targets({ createdBefore: new Date(0) })).ids).toBe('');
    expect((await targets({ createdAfter: new Date(0) })).ids).toBe('dcba');
    const first = await targets({}, 3);
    expect([first.ids, (await targets({}, 3, first.next)).ids]).toEqual(['dcb', 'a']);
    expect(await eventsOf(anId())).toEqual([]);
  });

  it('records a use of a connection by a flow once an hour, whichever process tells of it', async () => {
    const use = (flowId: string): ConnectionUsage => ({ projectId, connectionId: anId(), externalId: 'crm', flowId });
    const [one, other] = [use('f'), use('g')];

    await log.recordUses([one, other]);
    await new PostgresAuditLog(pool).recordUses([one]);

    expect(await eventsOf()).toHaveLength(2);
    expect((await eventsOf()).map(({ details }) => details['flowId']).sort()).toEqual(['f', 'g']);
  });

  it('is changed and deleted by nobody but the retention, which keeps what is young', async () => {
    await log.record(event());

    await expect(pool.query('delete from audit_event')).rejects.toThrow('append-only');
    await expect(pool.query(`update audit_event set actor = 'nobody'`)).rejects.toThrow('append-only');
    const later = { now: async () => new Date(Date.now() + 10 * 86_400_000) };
    await new AuditRetention(pool, later, 0).perform();
    await new AuditRetention(pool, later, 11).perform();
    expect(await eventsOf()).toHaveLength(1);
    await new AuditRetention(pool, later, 9).perform();
    expect(await eventsOf()).toEqual([]);
  });
});
