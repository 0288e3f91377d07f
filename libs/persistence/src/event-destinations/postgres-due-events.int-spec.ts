import { EVENT_KINDS, type DestinationClaim, type EventDestination, type SettledAttempt } from '@millrace/domain';
import { anEventDestination } from '@millrace/domain/testing';
import { Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { insertDestination } from './event-destination.statements';
import { insertEvents } from './new-event.statements';
import { PostgresEventDestinationRepository } from './postgres-event-destination.repository';
import { PostgresDueEvents } from './postgres-due-events';
import { sealEventSecret } from './sealed-secret';

const DAY_MS = 24 * 60 * 60 * 1_000;
const SECRET = 'whsec_c2VjcmV0';

describe('PostgresDueEvents', () => {
  const box = aSecretBox();
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let events: PostgresDueEvents;
  let projectId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'event test')).initialize();
    pool = openHotPool(database.url, 'event test');
    events = new PostgresDueEvents(pool, box);
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.query('delete from event_destination');
    projectId = await seedProject(dataSource);
  });

  async function aDestination(more: Partial<EventDestination> = {}): Promise<string> {
    const destination = anEventDestination({ projectId, events: [...EVENT_KINDS], ...more });
    await insertDestination(pool, destination, await sealEventSecret(box, destination, SECRET));
    return destination.id;
  }
  const happen = (data: object = { a: 1 }) => insertEvents(pool, projectId, ['flow.updated'], data);
  const soon = () => new Date(Date.now() + 1_000);
  const claimOne = async (): Promise<DestinationClaim> => {
    const [claim] = await events.claim(soon(), 10);
    if (!claim) throw new Error('Nothing could be claimed.');
    return claim;
  };
  const dueOf = (claim: DestinationClaim, besides: string[] = []) => events.find(claim, soon(), 10, besides);
  const rowOf = async (id: string) =>
    (await pool.query<Record<string, unknown>>('select * from event_destination where id = $1', [id])).rows[0];
  const log = async () =>
    (await pool.query<Record<string, unknown>>('select * from event_delivery order by id')).rows.at(-1);

  const failed = (claim: DestinationClaim, deliveryId: string, at = new Date()): SettledAttempt => ({
    claim,
    deliveryId,
    at,
    outcome: { isDelivered: false, status: 503, error: 'The destination answered 503.' },
    after: { status: 'PENDING', nextAttempt: at },
  });
  const delivered = (claim: DestinationClaim, deliveryId: string, at = new Date()): SettledAttempt => ({
    claim,
    deliveryId,
    at,
    outcome: { isDelivered: true, status: 204, error: null },
    after: { status: 'DELIVERED', nextAttempt: null },
  });

  it('claims a destination with due events once, until it is released', async () => {
    const destinationId = await aDestination();
    expect(await events.claim(soon(), 10)).toEqual([]);
    await happen();

    const claim = await claimOne();
    expect(claim).toEqual({ destinationId, projectId, epoch: 1 });
    expect(await events.claim(soon(), 10)).toEqual([]);

    await events.release(claim);
    expect(await claimOne()).toMatchObject({ epoch: 2 });
  });

  it('claims again when a claim has run out, and lets the former holder do nothing', async () => {
    const destinationId = await aDestination();
    await happen();
    const former = await claimOne();
    const [event] = await dueOf(former);
    await pool.query('update event_destination set claimed_until = now()');

    const claim = await claimOne();
    await events.settle(delivered(former, event?.deliveryId ?? ''));
    await events.release(former);

    expect(await events.open(former)).toBeNull();
    expect(await dueOf(former)).toEqual([]);
    expect(await dueOf(claim)).toMatchObject([{ eventId: event?.eventId, attempts: 0 }]);
    expect((await rowOf(destinationId))?.['claimed_until']).not.toBeNull();
    expect(await events.claim(soon(), 10)).toEqual([]);
  });

  it('claims neither a disabled destination nor one whose events are due later', async () => {
    const disabled = await aDestination();
    await happen();
    await pool.query(`update event_destination set status = 'DISABLED' where id = $1`, [disabled]);
    expect(await events.claim(soon(), 10)).toEqual([]);

    await pool.query(`update event_destination set status = 'ENABLED'`);
    expect(await events.claim(new Date(Date.now() - 60_000), 10)).toEqual([]);
    expect(await events.claim(soon(), 10)).toHaveLength(1);
  });

  it('lets the destination go first whose last turn is the longest ago', async () => {
    const [first, second] = [await aDestination(), await aDestination()];
    await happen();
    await events.release(await claimNamed(first));

    expect(await events.claim(soon(), 1)).toMatchObject([{ destinationId: second }]);
  });

  async function claimNamed(destinationId: string): Promise<DestinationClaim> {
    const claims = await events.claim(soon(), 10);
    for (const claim of claims)
      if (claim.destinationId !== destinationId)
        await pool.query('update event_destination set claimed_until = null where id = $1', [claim.destinationId]);
    return claims.find((claim) => claim.destinationId === destinationId) as DestinationClaim;
  }

  it('opens the secret, and gives the body that is sent', async () => {
    await aDestination();
    await happen({ name: 'Grüße\u2028' });
    const claim = await claimOne();

    expect(await events.open(claim)).toEqual({ projectId, url: 'https://events.example/hook', secret: SECRET });
    const [event] = await dueOf(claim);
    const { id, created, ...sent } = JSON.parse(event?.body ?? '') as { id: string; created: string };
    expect(sent).toEqual({ type: 'flow.updated', projectId, data: { name: 'Grüße\u2028' } });
    expect(id).toBe(event?.eventId);
    expect(new Date(created).toISOString()).toBe(created);
    expect(await dueOf(claim, [event?.deliveryId ?? ''])).toEqual([]);
  });

  it('keeps each attempt in the log, and since when the destination fails', async () => {
    const destinationId = await aDestination();
    await happen();
    const claim = await claimOne();
    const [event] = await dueOf(claim);
    const deliveryId = event?.deliveryId ?? '';
    const [first, second] = [new Date('2026-01-01T00:00:00.000Z'), new Date('2026-01-02T00:00:00.000Z')];

    await events.settle(failed(claim, deliveryId, first));
    await events.settle(failed(claim, deliveryId, second));

    expect(await log()).toMatchObject({
      status: 'PENDING',
      attempts: 2,
      response_status: 503,
      error: 'The destination answered 503.',
      last_attempt: second,
      next_attempt: second,
    });
    expect(await rowOf(destinationId)).toMatchObject({ failing_since: first, status: 'ENABLED' });

    await events.settle(delivered(claim, deliveryId));
    expect(await log()).toMatchObject({ status: 'DELIVERED', attempts: 3, response_status: 204, error: null });
    expect(await rowOf(destinationId)).toMatchObject({ failing_since: null });
  });

  it('disables a destination after five days of failure, with the reason', async () => {
    const logged = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const destinationId = await aDestination();
    await happen();
    const claim = await claimOne();
    const deliveryId = (await dueOf(claim))[0]?.deliveryId ?? '';
    const start = Date.parse('2026-01-01T00:00:00.000Z');

    await events.settle(failed(claim, deliveryId, new Date(start)));
    await events.settle(failed(claim, deliveryId, new Date(start + 5 * DAY_MS - 1)));
    expect(await rowOf(destinationId)).toMatchObject({ status: 'ENABLED' });
    expect(logged).not.toHaveBeenCalled();
    const end = new Date(start + 5 * DAY_MS);
    await events.settle(failed(claim, deliveryId, end));

    expect(await rowOf(destinationId)).toMatchObject({
      status: 'DISABLED',
      status_reason: 'Every attempt has failed for 5 days.',
      status_since: end,
      failing_since: new Date(start),
    });
    expect(await dueOf(claim)).toEqual([]);
    expect(logged.mock.calls).toEqual([
      [`The event destination ${destinationId} is disabled: Every attempt has failed for 5 days.`],
    ]);
    logged.mockRestore();
  });

  it('keeps an event that is asked for again while its destination is disabled, until that is enabled', async () => {
    const destinationId = await aDestination();
    const destinations = new PostgresEventDestinationRepository(pool, box);
    await happen();
    const former = await claimOne();
    const [event] = await dueOf(former);
    const deliveryId = event?.deliveryId ?? '';
    const gaveUp = { ...failed(former, deliveryId), after: { status: 'FAILED', nextAttempt: null } } as const;
    await events.settle(gaveUp);
    await events.release(former);
    await destinations.change(destinationId, 'any', { status: 'DISABLED' }, new Date());

    const asked = await destinations.redeliver(destinationId, 'any', deliveryId, new Date());
    expect(asked).toMatchObject({ status: 'PENDING', attempts: 0, error: 'The destination answered 503.' });
    expect(await events.claim(soon(), 10)).toEqual([]);

    await destinations.change(destinationId, 'any', { events: ['flow.updated'], status: 'ENABLED' }, new Date());
    expect(await dueOf(await claimOne())).toEqual([{ ...event, attempts: 0 }]);
  });

  it('settles many attempts to several destinations at once', async () => {
    await aDestination();
    await aDestination();
    for (let i = 0; i < 20; i++) await happen();
    const claims = await events.claim(soon(), 10);
    const due = await Promise.all(
      claims.map(async (claim) => (await events.find(claim, soon(), 100, [])).map((event) => ({ claim, event }))),
    );

    await Promise.all(due.flat().map(({ claim, event }) => events.settle(delivered(claim, event.deliveryId))));

    expect(due.flat()).toHaveLength(40);
    const { rowCount } = await pool.query(
      `select from event_delivery join event_destination d on d.id = destination_id where event_delivery.status <> 'DELIVERED'`,
    );
    expect(rowCount).toBe(0);
  });
});
