import { anId } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { seedDestination } from '../testing/seed-destination';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { deleteOldDeliveries, deleteSurplusDeliveries, disableFloodedDestinations } from './event-retention';

const DAY_MS = 24 * 60 * 60 * 1_000;

describe('the retention of events', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let destinationId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'retention test')).initialize();
    pool = openHotPool(database.url, 'retention test');
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.query('delete from event_delivery');
    destinationId = await seedDestination(pool, await seedProject(dataSource));
  });

  /** Inserts deliveries of which each is a millisecond newer than the one before. */
  const insert = async (deliveries: number, status: string, oldest = new Date()) => {
    await pool.query(
      `insert into event_delivery (id, destination_id, event_id, type, created, data, status, next_attempt)
       select (lpad(to_hex($4::bigint + i), 12, '0') || '70008000000000000000')::uuid, $1, gen_random_uuid(),
         'flow.updated', now(), '{}', $2, case when $2 = 'PENDING' then now() end
       from generate_series(1, $3) i`,
      [destinationId, status, deliveries, oldest.getTime()],
    );
  };
  const count = async (status: string) =>
    (await pool.query('select from event_delivery where status = $1', [status])).rowCount;

  it('deletes what is older than thirty days, also when its destination is gone', async () => {
    const now = new Date();
    destinationId = anId();
    await insert(1, 'DELIVERED', new Date(now.getTime() - 31 * DAY_MS));
    await insert(1, 'FAILED', new Date(now.getTime() - 29 * DAY_MS));

    expect(await deleteOldDeliveries(pool, now)).toBe(1);

    expect([await count('DELIVERED'), await count('FAILED')]).toEqual([0, 1]);
  });

  it('keeps ten thousand deliveries of a destination, and all that wait', async () => {
    const start = Date.now();
    await insert(3, 'PENDING', new Date(start - 1_000));
    await insert(20, 'DELIVERED', new Date(start - 500));
    await insert(10_000, 'FAILED', new Date(start));

    expect(await deleteSurplusDeliveries(pool)).toBe(20);
    expect(await deleteSurplusDeliveries(pool)).toBe(0);

    expect([await count('PENDING'), await count('DELIVERED'), await count('FAILED')]).toEqual([3, 0, 10_000]);
  });

  it('disables a destination for which too many events wait, and no other', async () => {
    const other = destinationId;
    await insert(1, 'PENDING');
    destinationId = await seedDestination(pool, await seedProject(dataSource));
    await insert(100_001, 'PENDING');

    expect(await disableFloodedDestinations(pool, new Date())).toEqual([destinationId]);
    expect(await disableFloodedDestinations(pool, new Date())).toEqual([]);

    const { rows } = await pool.query<{ id: string; status: string; status_reason: string | null }>(
      'select id, status, status_reason from event_destination where id = any($1)',
      [[other, destinationId]],
    );
    expect(new Map(rows.map(({ id, status, status_reason: reason }) => [id, [status, reason]]))).toEqual(
      new Map([
        [other, ['ENABLED', null]],
        [destinationId, ['DISABLED', 'More than 100000 events wait for this destination.']],
      ]),
    );

    // Whoever enables it wants these events to be sent.
    const enable = `update event_destination set status = 'ENABLED', status_since = clock_timestamp() where id = $1`;
    await pool.query(enable, [destinationId]);
    expect(await disableFloodedDestinations(pool, new Date())).toEqual([]);
  });
});
