import type { StepRecord } from '@millrace/domain';
import { aNewRun, anEnding, anId, aPause, aWait, InMemoryJobQueue } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresRunAnswers } from './postgres-run-answers';
import { PostgresRunIntake } from './postgres-run-intake';
import { PostgresRunJournal } from './postgres-run-journal';

const answering = (path: string, body: unknown): StepRecord => ({
  ...{ path, type: 'ACTION', status: 'SUCCEEDED', duration: 1 },
  effects: { response: { status: 200, headers: { 'x-a': 'b' }, body } },
});

describe('PostgresRunAnswers', () => {
  let database: TestDatabase;
  let pool: Pool;
  let journal: PostgresRunJournal;
  let intake: PostgresRunIntake;
  let answers: PostgresRunAnswers;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'answers test');
    journal = new PostgresRunJournal(pool, new InMemoryJobQueue());
    intake = new PostgresRunIntake(pool, new InMemoryJobQueue());
    answers = new PostgresRunAnswers(pool);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const accepted = async (): Promise<string> => (await intake.accept(aNewRun({ isAwaited: true }))).runId;

  it('are the last responses on record, of runs that have ended or go on', async () => {
    const [ended, going, silent] = [await accepted(), await accepted(), await accepted()];
    await journal.finish(anEnding(ended, { records: [answering('a', 1), answering('b', [2]), answering('c', null)] }));
    await journal.claim({ runId: going, epoch: 0 }, new Date(), 15);
    await journal.append({ runId: going, epoch: 1, seq: 0, records: [answering('a', 'first')] });
    await journal.append({
      runId: going,
      epoch: 1,
      seq: 1,
      records: [{ ...answering('b', 0), effects: { tags: [] } }],
    });

    const read = await answers.read([ended, going, silent, anId(), 'no-id']);

    expect(read).toEqual(
      new Map([
        [ended, { status: 'SUCCEEDED', response: { status: 200, headers: { 'x-a': 'b' }, body: null } }],
        [going, { status: 'RUNNING', response: { status: 200, headers: { 'x-a': 'b' }, body: 'first' } }],
        [silent, { status: 'RUNNING', response: null }],
      ]),
    );
  });

  it('names those that have ended, in whatever way, and no others', async () => {
    const [ended, failed, going, paused] = [await accepted(), await accepted(), await accepted(), await accepted()];
    await journal.finish(anEnding(ended));
    await journal.finish(anEnding(failed, { status: 'TIMEOUT' }));
    await journal.pause(aPause(paused, [aWait('a')], { epoch: 0 }));

    expect((await answers.ended([ended, failed, going, paused, anId()])).sort()).toEqual([ended, failed].sort());
    expect(await answers.ended([])).toEqual([]);
  });
});
