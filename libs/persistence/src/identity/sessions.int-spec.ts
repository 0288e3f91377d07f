import { REFRESH_TOKEN_LIFETIME_MS, type Refresh } from '@millrace/domain';
import { anId, describeSignInAttempts, HandDrivenClock, sharedBy } from '@millrace/domain/testing';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { SessionPruning } from '../maintenance/session-pruning';
import { dataSourceOptions } from '../modules/data-source';
import { seedProject } from '../testing/seed-project';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresSessionRepository } from './postgres-session.repository';
import { PostgresSignInAttempts } from './postgres-sign-in-attempts';

const NOW = new Date('2026-01-01T12:00:00.000Z');
const later = (ms: number) => new Date(NOW.getTime() + ms);

describe('sessions in PostgreSQL', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let sessions: PostgresSessionRepository;
  let attempts: PostgresSignInAttempts;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource(dataSourceOptions(database.url, 'sessions test')).initialize();
    sessions = new PostgresSessionRepository(dataSource);
    attempts = new PostgresSignInAttempts(dataSource);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const started = async () => {
    const [userId, tokenHash] = [anId(), `token ${anId()}`];
    await seedProject(dataSource, { ownerId: userId });
    await sessions.start({ id: anId(), userId, tokenHash, now: NOW });
    return { userId, tokenHash };
  };
  const use = (hash: string, more: Partial<Refresh> = {}) =>
    sessions.refresh({ hash, nextHashes: [`after ${hash}`], client: 'me', now: later(1_000), ...more });

  it('go from token to token', async () => {
    const { userId, tokenHash } = await started();
    expect(await use(tokenHash)).toEqual({ userId, nextHash: `after ${tokenHash}` });
    expect(await use(`after ${tokenHash}`)).toEqual({ userId, nextHash: `after after ${tokenHash}` });
    expect(await use('unknown')).toBeNull();
  });

  it('give several uses at once the same next token', async () => {
    const { userId, tokenHash } = await started();
    const uses = await Promise.all(Array.from({ length: 4 }, () => use(tokenHash)));
    expect(uses).toEqual(Array(4).fill({ userId, nextHash: `after ${tokenHash}` }));
  });

  it('find the next token under the secret before, while the secret is rotated', async () => {
    const { userId, tokenHash } = await started();
    await use(tokenHash, { nextHashes: [`old ${tokenHash}`] });
    const repeated = await use(tokenHash, { nextHashes: [`new ${tokenHash}`, `old ${tokenHash}`] });
    expect(repeated).toEqual({ userId, nextHash: `old ${tokenHash}` });
    expect(await use(tokenHash, { nextHashes: [`third ${tokenHash}`] })).toBeNull();
    expect(await use(`old ${tokenHash}`)).not.toBeNull();
  });

  it('end with all tokens when another client uses one again', async () => {
    const { tokenHash } = await started();
    await use(tokenHash);
    expect(await use(tokenHash, { client: 'another' })).toBeNull();
    expect(await use(`after ${tokenHash}`)).toBeNull();
  });

  it('end when an old token is used again while the newest is used, round after round', async () => {
    for (let round = 0; round < 200; round++) {
      const { tokenHash } = await started();
      await use(tokenHash);
      const [newest] = await Promise.all([use(`after ${tokenHash}`), use(tokenHash, { client: 'another' })]);
      expect(await use(newest?.nextHash ?? `after ${tokenHash}`)).toBeNull();
    }
  }, 60_000);

  it('end at sign-out, and do not begin again with an expired token', async () => {
    const [left, old] = [await started(), await started()];
    await use(left.tokenHash);
    await sessions.end(`after ${left.tokenHash}`);
    expect(await use(`after ${left.tokenHash}`)).toBeNull();
    expect(await use(old.tokenHash, { now: later(REFRESH_TOKEN_LIFETIME_MS) })).toBeNull();
  });

  it('leave nothing behind when their time is over', async () => {
    await started();
    await attempts.count([`account ${anId()}`, `address ${anId()}`], NOW);
    await attempts.remember('account', 'address', NOW);
    const pool = new Pool({ connectionString: database.url });
    const clock = new HandDrivenClock(later(REFRESH_TOKEN_LIFETIME_MS * 4));
    const pruning = new SessionPruning(pool, sharedBy(clock));
    expect(await pruning.perform()).toMatch(
      /^What is over was deleted: [1-9]\d* refresh tokens, [1-9]\d* sessions, 1 known addresses\.$/,
    );
    expect(await pruning.perform()).toBeUndefined();
    for (const table of ['refresh_token', 'user_session', 'sign_in_attempt', 'known_address'])
      expect((await pool.query(`select from ${table}`)).rowCount).toBe(0);
    await pool.end();
  });

  describe('and the attempts to sign in', () => {
    describeSignInAttempts(() => attempts);
  });
});
