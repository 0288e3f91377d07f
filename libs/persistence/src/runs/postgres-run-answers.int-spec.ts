import { randomBytes } from 'node:crypto';
import type { StepRecord } from '@millrace/domain';
import { aNewRun, anEnding, anId, aPause, aWait, InMemoryJobQueue } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { openHotPool } from '../postgres/hot-pool';
import { ListeningConnection } from '../postgres/listening-connection';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresRunAnswers } from './postgres-run-answers';
import { PostgresRunIntake } from './postgres-run-intake';
import { PostgresRunJournal } from './postgres-run-journal';
import { PostgresRunNotices } from './postgres-run-notices';

/** The stored bytes of an empty list. */
const EMPTY = Buffer.from('\0[]');

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
  let connection: ListeningConnection;
  let notices: PostgresRunNotices;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openHotPool(database.url, 'answers test');
    journal = new PostgresRunJournal(pool, new InMemoryJobQueue());
    intake = new PostgresRunIntake(pool, new InMemoryJobQueue());
    answers = new PostgresRunAnswers(pool);
    connection = new ListeningConnection({ databaseUrl: database.url, applicationName: 'answers test' });
    notices = new PostgresRunNotices(pool, connection);
  });
  afterAll(async () => {
    await connection.onApplicationShutdown();
    await pool.end();
    await database.drop();
  });

  const accepted = async (): Promise<string> => (await intake.accept(aNewRun({ isAwaited: true }))).runId;

  const saying = (body: unknown) => ({ status: 200, headers: { 'x-a': 'b' }, body });
  const queriesOf = async (act: () => Promise<unknown>): Promise<(string | undefined)[]> => {
    const query = jest.spyOn(pool, 'query');
    await act();
    const names = query.mock.calls.map(([sent]) => (sent as unknown as { name?: string }).name);
    query.mockRestore();
    return names;
  };

  it('are what was announced, also of runs that go on, and no journal is read for them', async () => {
    const [ended, going, silent] = [await accepted(), await accepted(), await accepted()];
    for (const runId of [ended, going])
      await notices.announceAnswered(runId, { status: 'RUNNING', response: saying(runId) });
    await journal.finish(anEnding(ended, { records: [answering('a', 'on record')] }));

    const read = await answers.read([ended, going, silent, anId(), 'no-id']);

    expect(read).toEqual(
      new Map([
        [ended, { status: 'SUCCEEDED', response: saying(ended) }],
        [going, { status: 'RUNNING', response: saying(going) }],
        [silent, { status: 'RUNNING', response: null }],
      ]),
    );
    expect(await queriesOf(() => answers.read([ended, going, silent]))).toEqual(['read-answers']);
  });

  it('are the first responses on record when a run ended and nobody announced it', async () => {
    const [ended, silent] = [await accepted(), await accepted()];
    await journal.finish(anEnding(ended, { records: [answering('a', 1), answering('b', [2]), answering('c', null)] }));
    await journal.finish(anEnding(silent));

    expect(await answers.read([ended, silent])).toEqual(
      new Map([
        [ended, { status: 'SUCCEEDED', response: saying(1) }],
        [silent, { status: 'SUCCEEDED', response: null }],
      ]),
    );
  });

  it.each([
    ['in the first of many segments', 0, ['next-segments']],
    ['in the last of many segments', 79, ['next-segments', 'next-segments', 'next-segments']],
  ])('are found %s, and nothing after it is read', async (_, answeringSeq, segmentQueries) => {
    const runId = await accepted();
    await journal.claim({ runId, epoch: 0 }, new Date(), 15);
    for (let seq = 0; seq < 80; seq++) {
      const record = seq === answeringSeq ? answering('a', seq) : { ...answering('b', 0), effects: { tags: [] } };
      await journal.append({ stepsCount: 1, runId, epoch: 1, seq, records: [record] });
    }
    await journal.finish(anEnding(runId, { epoch: 1, records: [] }));

    const queries = await queriesOf(async () => {
      expect((await answers.read([runId])).get(runId)?.response).toEqual(saying(answeringSeq));
    });

    expect(queries).toEqual(['read-answers', ...segmentQueries]);
  });

  it('of a run with large segments hold few of them at once', async () => {
    const runId = await accepted();
    await journal.claim({ runId, epoch: 0 }, new Date(), 15);
    const output = JSON.stringify(randomBytes(900_000).toString('base64'));
    for (let seq = 0; seq < 8; seq++)
      await journal.append({
        stepsCount: 1,
        runId,
        epoch: 1,
        seq,
        records: [{ ...answering('b', 0), effects: {}, output }],
      });
    await journal.finish(anEnding(runId, { epoch: 1, seq: 8, records: [answering('c', 'small')] }));
    await pool.query('update run_segment set records = $2 where run_id = $1 and seq = 8', [runId, EMPTY]);

    const queries = await queriesOf(() => answers.read([runId]));

    expect(queries.filter((name) => name === 'next-segments').length).toBeGreaterThanOrEqual(8);
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
