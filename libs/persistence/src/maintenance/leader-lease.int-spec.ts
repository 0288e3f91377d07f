import { Logger } from '@nestjs/common';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { LEASE_MS, LeaderLease } from './leader-lease';

describe('LeaderLease', () => {
  let database: TestDatabase;
  let pool: Pool;
  let opened: LeaderLease[] = [];

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url, max: 1 });
  });
  beforeEach(() =>
    pool.query("update leader_lease set holder = null, epoch = 0, expires_at = now(), wanted_until = '-infinity'"),
  );
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(opened.map((lease) => lease.resign()));
    opened = [];
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const open = (standsIn = false): LeaderLease => {
    const lease = new LeaderLease(pool, { standsIn });
    opened.push(lease);
    return lease;
  };
  /** Moves the end of the lease back, because a test cannot move the clock of the database. */
  const letPass = (ms: number) =>
    pool.query(`update leader_lease set expires_at = expires_at - $1 * interval '1 millisecond'`, [ms]);
  const epoch = async (): Promise<number> =>
    (await pool.query<{ epoch: number }>('select epoch from leader_lease')).rows[0]?.epoch ?? -1;

  it('is written of once when the database cannot be asked, and once when it can be again', async () => {
    const lines: unknown[] = [];
    const note = (...line: unknown[]): void => void lines.push(...line);
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(note);
    jest.spyOn(Logger.prototype, 'log').mockImplementation(note);
    const lease = open();
    const query = jest.spyOn(pool, 'query').mockImplementation(() => Promise.reject(new Error('no database')));

    await lease.ask();
    await lease.ask();
    query.mockRestore();
    await lease.ask();

    expect(lines).toEqual([
      'The leader lease cannot be asked for. It is tried again until it can. no database',
      'The leader lease can be asked for again.',
      'This process performs the periodic duties (epoch 1).',
    ]);
  });

  it('is not asked for by a process whose queue is not that of the others', async () => {
    const lease = new LeaderLease(pool, { standsIn: false, leads: false });

    await lease.ask();

    expect([lease.isHeld(), await epoch()]).toEqual([false, 0]);
  });

  it('belongs to one process at a time, and passes on at once when it resigns', async () => {
    const [first, second] = [open(), open()];

    await first.ask();
    await second.ask();
    expect([first.isHeld(), second.isHeld()]).toEqual([true, false]);
    await first.resign();
    await second.ask();

    expect([first.isHeld(), second.isHeld()]).toEqual([false, true]);
  });

  it('passes on when its holder is silent for as long as it lasts, under the next epoch', async () => {
    const [frozen, other] = [open(), open()];
    await frozen.ask();
    const before = await epoch();

    await letPass(LEASE_MS - 500);
    await other.ask();
    expect(other.isHeld()).toBe(false);
    await letPass(500);
    await other.ask();

    expect(other.isHeld()).toBe(true);
    expect(await epoch()).toBe(before + 1);
  });

  it('is known to be lost before the next one may begin, without asking', async () => {
    const frozen = open();
    await frozen.ask();
    const now = performance.now();

    const clock = jest.spyOn(performance, 'now');
    clock.mockReturnValue(now + LEASE_MS - 1_500);
    expect(frozen.isHeld()).toBe(true);
    clock.mockReturnValue(now + LEASE_MS - 500);

    expect(frozen.isHeld()).toBe(false);
  });

  it('keeps its epoch while it is renewed, and a former holder does not get it back', async () => {
    const [first, second] = [open(), open()];
    await first.ask();
    await first.ask();
    const kept = await epoch();
    await letPass(LEASE_MS);
    await second.ask();

    await first.ask();

    expect(kept).toBe(1);
    expect([first.isHeld(), second.isHeld()]).toEqual([false, true]);
  });

  it('is left to a worker for some seconds before a stand-in takes it', async () => {
    const standIn = open(true);

    await letPass(2_000);
    await standIn.ask();
    expect(standIn.isHeld()).toBe(false);
    await letPass(1_000);
    await standIn.ask();

    expect(standIn.isHeld()).toBe(true);
  });

  it('is given up by a stand-in when a worker asks for it', async () => {
    const [standIn, worker] = [open(true), open()];
    await letPass(10_000);
    await standIn.ask();

    await worker.ask();
    await standIn.ask();
    await worker.ask();
    await standIn.ask();

    expect([standIn.isHeld(), worker.isHeld()]).toEqual([false, true]);
  });

  it('is not had, and is no error, while the database is away', async () => {
    const lease = new LeaderLease(new Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/none' }), {
      standsIn: false,
    });

    await lease.ask();

    expect(lease.isHeld()).toBe(false);
  });
});
