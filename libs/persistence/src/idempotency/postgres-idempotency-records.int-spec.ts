import { describeIdempotencyRecords } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../modules/data-source';
import { openHotPool } from '../postgres/hot-pool';
import { aSecretBox } from '../testing/a-secret-box';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { deleteOldIdempotencyRecords } from './delete-old-idempotency-records';
import { PostgresIdempotencyRecords } from './postgres-idempotency-records';

const NOW = new Date('2026-01-02T00:00:00.000Z');

let database: TestDatabase;
let dataSource: DataSource;
let pool: Pool;
let records: PostgresIdempotencyRecords;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await new DataSource(dataSourceOptions(database.url, 'idempotency test')).initialize();
  pool = openHotPool(database.url, 'idempotency test');
  records = new PostgresIdempotencyRecords(dataSource, aSecretBox());
});
afterAll(async () => {
  await pool.end();
  await dataSource.destroy();
  await database.drop();
});

describeIdempotencyRecords('PostgresIdempotencyRecords', () => records);

describe('PostgresIdempotencyRecords', () => {
  it('keeps bodies so that only the key of the installation opens them', async () => {
    const request = { principal: 'user', key: 'secret', requestHash: 'hash' };
    await records.claim(request, NOW);
    await records.keep(request, { statusCode: 201, headers: {}, body: '{"key":"sk-plain"}' });

    const { rows } = await pool.query<{ body: Buffer }>("select body from idempotency_record where key = 'secret'");
    expect(rows[0]?.body.includes('sk-plain')).toBe(false);
    const stranger = new PostgresIdempotencyRecords(dataSource, aSecretBox());
    await expect(stranger.claim(request, NOW)).rejects.toThrow();
  });

  it('keeps the first of two answers, whatever a late caller keeps or releases', async () => {
    const request = { principal: 'user', key: 'late', requestHash: 'hash' };
    const answer = { statusCode: 201, headers: {}, body: null };
    await records.claim(request, NOW);
    await records.keep(request, answer);

    await records.keep(request, { ...answer, statusCode: 500 });
    await records.release(request);

    expect(await records.claim(request, NOW)).toEqual({ kind: 'answered', answer });
  });

  it('deletes old records, however many, and leaves the others', async () => {
    await pool.query('delete from idempotency_record');
    await pool.query(
      `insert into idempotency_record (principal, key, request_hash, claimed_at)
       select 'user', n, 'hash', $1::timestamptz + make_interval(secs => n - 2500) from generate_series(1, 3000) n`,
      [NOW],
    );

    expect(await deleteOldIdempotencyRecords(pool, NOW)).toBe(2_499);
    expect((await pool.query('select from idempotency_record')).rowCount).toBe(501);
    expect(await deleteOldIdempotencyRecords(pool, NOW)).toBe(0);
  });
});
