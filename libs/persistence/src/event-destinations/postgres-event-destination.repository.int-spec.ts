import { MAX_EVENT_DESTINATIONS } from '@millrace/domain';
import { anEventDestination, anId } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { TRUSTED_MS } from './destination-watch';
import { insertEvents } from './new-event.statements';
import { PostgresEventDestinationRepository } from './postgres-event-destination.repository';

const SECRET = 'whsec_c2VjcmV0';
const LATER = new Date('2026-03-02T10:00:00.000Z');
const PAGE = { limit: 2, cursor: null };

describe('PostgresEventDestinationRepository', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let destinations: PostgresEventDestinationRepository;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'destination test')).initialize();
    pool = openHotPool(database.url, 'destination test');
    destinations = new PostgresEventDestinationRepository(pool, aSecretBox());
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    projectId = await seedProject(dataSource);
  });

  const inserted = async (more: Parameters<typeof anEventDestination>[0] = {}) => {
    const destination = anEventDestination({ projectId, events: ['flow.created'], ...more });
    await destinations.insert(destination, SECRET);
    return destination;
  };
  const unknown = (entityType: string, entityId: string) => ({
    code: 'ENTITY_NOT_FOUND',
    params: { entityType, entityId },
  });

  it('gives back what was inserted, and the secret only with the target', async () => {
    const destination = await inserted();

    expect(await destinations.get(destination.id, [projectId])).toEqual(destination);
    expect(await destinations.target(destination.id, 'any')).toEqual({
      projectId,
      url: destination.url,
      secret: SECRET,
    });
  });

  it('stores the secret sealed, for this destination alone', async () => {
    const [one, other] = [await inserted(), await inserted()];

    const { rows } = await pool.query<{ secret: Buffer }>(
      'update event_destination set secret = (select secret from event_destination where id = $1) where id = $2 returning secret',
      [one.id, other.id],
    );

    expect(rows[0]?.secret.includes(SECRET)).toBe(false);
    await expect(destinations.target(other.id, 'any')).rejects.toThrow();
  });

  it('has at most twenty destinations for a project, also when they come at once', async () => {
    const attempts = await Promise.allSettled(Array.from({ length: MAX_EVENT_DESTINATIONS + 3 }, () => inserted()));

    const refused = attempts.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(3);
    await expect(inserted()).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED', params: { limit: 20, usage: 20 } });
  });

  it('answers a destination for runs when every process has asked again', async () => {
    const from = performance.now();
    await inserted();
    const quick = performance.now() - from;

    await inserted({ events: ['flow_run.failed'] });

    expect(quick).toBeLessThan(TRUSTED_MS);
    expect(performance.now() - from - quick).toBeGreaterThanOrEqual(TRUSTED_MS - 1);
  });

  it('lists the destinations of the project, newest first', async () => {
    const made = [await inserted(), await inserted(), await inserted()];
    await inserted({ projectId: await seedProject(dataSource) });

    const first = await destinations.list(projectId, PAGE);
    const second = await destinations.list(projectId, { ...PAGE, cursor: first.next });

    expect([...first.data, ...second.data]).toEqual(made.reverse());
    expect((await destinations.list('no-id', PAGE)).data).toEqual([]);
  });

  it('forgets why a destination was disabled when it is enabled', async () => {
    const failing = { statusReason: 'Why.', failingSince: LATER } as const;
    const destination = await inserted();
    await pool.query(
      `update event_destination set status = 'DISABLED', status_reason = $2, failing_since = $3 where id = $1`,
      [destination.id, failing.statusReason, failing.failingSince],
    );
    expect(await destinations.get(destination.id, 'any')).toMatchObject({ status: 'DISABLED', ...failing });

    const enabled = await destinations.change(destination.id, [projectId], { status: 'ENABLED' }, LATER);

    expect(enabled).toEqual({ ...destination, statusSince: LATER, updated: LATER });
    expect(await destinations.get(destination.id, 'any')).toEqual(enabled);
  });

  it('keeps what a change does not name', async () => {
    const destination = await inserted();

    await destinations.change(destination.id, [projectId], { url: 'https://other.example', status: 'ENABLED' }, LATER);

    expect(await destinations.get(destination.id, 'any')).toEqual({
      ...destination,
      url: 'https://other.example',
      updated: LATER,
    });
  });

  it('deletes a destination with its deliveries, and its project gets no more', async () => {
    const destination = await inserted();
    await insertEvents(pool, projectId, ['flow.created'], {});

    await destinations.delete(destination.id, [projectId]);
    await insertEvents(pool, projectId, ['flow.created'], {});

    await expect(destinations.get(destination.id, 'any')).rejects.toMatchObject(
      unknown('event_destination', destination.id),
    );
    const { rowCount } = await pool.query('select from event_delivery where destination_id = $1', [destination.id]);
    expect(rowCount).toBe(0);
  });

  it('pages through the deliveries, and makes one due again', async () => {
    const destination = await inserted();
    for (let i = 0; i < 3; i++) await insertEvents(pool, projectId, ['flow.created'], { i });

    const first = await destinations.listDeliveries(destination.id, [projectId], PAGE);
    const second = await destinations.listDeliveries(destination.id, [projectId], { ...PAGE, cursor: first.next });
    const deliveries = [...first.data, ...second.data];
    expect(deliveries).toHaveLength(3);
    expect(deliveries[0]).toMatchObject({
      type: 'flow.created',
      status: 'PENDING',
      attempts: 0,
      responseStatus: null,
      error: null,
      lastAttempt: null,
    });
    const { id = '', eventId } = deliveries[2] ?? {};
    await pool.query(`update event_delivery set status = 'FAILED', attempts = 8, next_attempt = null where id = $1`, [
      id,
    ]);

    expect(await destinations.redeliver(destination.id, [projectId], id, LATER)).toMatchObject({
      id,
      eventId,
      status: 'PENDING',
      attempts: 0,
      nextAttempt: LATER,
    });
  });

  it.each(['get', 'target', 'delete', 'listDeliveries', 'change', 'redeliver'] as const)(
    '%s knows no destination of another project, and none of a malformed id',
    async (method) => {
      const { id } = await inserted();
      const calls = {
        get: (of: string) => destinations.get(of, [anId()]),
        target: (of: string) => destinations.target(of, [anId()]),
        delete: (of: string) => destinations.delete(of, [anId()]),
        listDeliveries: (of: string) => destinations.listDeliveries(of, [anId()], PAGE),
        change: (of: string) => destinations.change(of, [anId()], {}, LATER),
        redeliver: (of: string) => destinations.redeliver(of, [anId()], anId(), LATER),
      };

      await expect(calls[method](id)).rejects.toMatchObject(unknown('event_destination', id));
      await expect(calls[method]('no-id')).rejects.toMatchObject(unknown('event_destination', 'no-id'));
    },
  );

  it.each([anId(), 'no-id'])('knows no delivery %s', async (deliveryId) => {
    const { id } = await inserted();

    await expect(destinations.redeliver(id, [projectId], deliveryId, LATER)).rejects.toMatchObject(
      unknown('event_delivery', deliveryId),
    );
  });
});
