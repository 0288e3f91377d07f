import {
  DestinationSender,
  OutboundHttp,
  SystemClock,
  type OutboundAnswer,
  type OutboundRequest,
} from '@millrace/domain';
import { anEventDestination } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { aSecretBox } from '../testing/a-secret-box';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { insertEvents } from './new-event.statements';
import { PostgresDueEvents } from './postgres-due-events';
import { PostgresEventDestinationRepository } from './postgres-event-destination.repository';

const EVENTS = 1_000;

/** Answers calls to the fast destination at once, and calls to the slow one when the test ends. */
class TwoReceivers extends OutboundHttp {
  readonly received: OutboundRequest[] = [];
  private release = (): void => undefined;
  private readonly released = new Promise<void>((resolve) => (this.release = resolve));

  async send(request: OutboundRequest): Promise<OutboundAnswer> {
    this.received.push(request);
    if (request.url.includes('slow')) await this.released;
    return { status: 204, headers: {}, body: new Uint8Array() };
  }

  countOf(name: string): number {
    return this.received.filter(({ url }) => url.includes(name)).length;
  }

  end(): void {
    this.release();
  }
}

describe('a slow destination', () => {
  const box = aSecretBox();
  let database: TestDatabase;
  let dataSource: DataSource;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'event test')).initialize();
    pool = openHotPool(database.url, 'event test');
  });
  afterAll(async () => {
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });

  it('does not delay the thousand events of another destination of its project', async () => {
    const projectId = await seedProject(dataSource);
    const destinations = new PostgresEventDestinationRepository(pool, box);
    for (const name of ['slow', 'fast']) {
      const destination = anEventDestination({ projectId, url: `https://${name}.example`, events: ['flow.updated'] });
      await destinations.insert(destination, 'whsec_c2VjcmV0');
    }
    await Promise.all(Array.from({ length: EVENTS }, (_, i) => insertEvents(pool, projectId, ['flow.updated'], { i })));
    const events = new PostgresDueEvents(pool, box);
    const http = new TwoReceivers();
    const sender = new DestinationSender(events, http, new SystemClock());

    const turns: Promise<void>[] = [];
    const takeTurns = async () => {
      for (const claim of await events.claim(new Date(), 10)) turns.push(sender.send(claim));
    };
    await takeTurns();
    while (http.countOf('fast') < EVENTS) {
      await Promise.race(turns);
      await takeTurns();
    }

    expect(http.countOf('slow')).toBe(5);
    expect(new Set(http.received.map(({ headers }) => headers?.['webhook-id'])).size).toBe(EVENTS);
    http.end();
    await Promise.all(turns);
  }, 60_000);
});
