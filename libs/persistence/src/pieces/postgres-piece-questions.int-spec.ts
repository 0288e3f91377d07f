import { randomBytes } from 'node:crypto';
import { NO_PROJECT, UnreadableSecretError, type PieceQuestion } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { PieceQuestionPruning } from '../maintenance/piece-question-pruning';
import { openHotPool } from '../postgres/hot-pool';
import { KeyRing } from '../secrets/key-ring';
import { PostgresDataKeyStore } from '../secrets/postgres-data-key-store';
import { aSecretBox } from '../testing/a-secret-box';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { PostgresPieceQuestions } from './postgres-piece-questions';

const SECRET = 'nobody-may-read-this';
const QUESTION: PieceQuestion = {
  kind: 'VALIDATE',
  piece: { name: '@scope/piece-notes', version: '1.2.0' },
  value: { type: 'SECRET_TEXT', secret_text: SECRET },
};

let database: TestDatabase;
let pool: Pool;
let questions: PostgresPieceQuestions;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openHotPool(database.url, 'piece question test');
  questions = new PostgresPieceQuestions(pool, aSecretBox());
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const asked = async () => {
  const projectId = anId();
  return { projectId, id: await questions.ask(projectId, QUESTION) };
};
const expire = (id: string) =>
  pool.query(`update piece_question set expires = now() - interval '1 second' where id = $1`, [id]);
const count = async (): Promise<number> => (await pool.query('select from piece_question')).rowCount ?? 0;

describe('PostgresPieceQuestions', () => {
  it('keeps a question until its first answer was read', async () => {
    const { id, projectId } = await asked();

    expect(await questions.find(id)).toEqual({ id, projectId, question: QUESTION, leftMs: expect.any(Number) });
    expect(await questions.answerTo({ id, projectId })).toBeNull();
    await questions.answer({ id, projectId }, { problem: 'The key is wrong.' });
    await questions.answer({ id, projectId }, { value: null });
    expect(await questions.answerTo({ id, projectId })).toEqual({ problem: 'The key is wrong.' });
    expect(await questions.find(id)).toBeNull();

    await questions.remove(id);
    expect(await questions.answerTo({ id, projectId })).toBeNull();
    await questions.answer({ id, projectId }, { value: null });
    expect(await count()).toBe(0);
  });

  it('seals what is asked and answered, for the project that asks', async () => {
    const { id, projectId } = await asked();
    await questions.answer({ id, projectId }, { value: SECRET });

    const { rows } = await pool.query<{ question: Buffer; answer: Buffer }>(
      'select question, answer from piece_question',
    );
    const stored = rows.flatMap(({ question, answer }) => [question, answer]);
    expect(stored.some((bytes) => bytes.includes(SECRET))).toBe(false);
    await expect(questions.answerTo({ id, projectId: anId() })).rejects.toBeInstanceOf(UnreadableSecretError);
    await questions.remove(id);
  });

  it('keeps a question of no project, sealed by a key of the installation', async () => {
    const ring = KeyRing.of({ encryptionKey: randomBytes(32) });
    // In the table of data keys a project is one that exists.
    const stored = new PostgresPieceQuestions(pool, aSecretBox(new PostgresDataKeyStore(pool), ring));
    const id = await stored.ask(NO_PROJECT, QUESTION);

    expect(await stored.find(id)).toMatchObject({ projectId: NO_PROJECT, question: QUESTION });
    await stored.answer({ id, projectId: NO_PROJECT }, { value: null });
    expect(await stored.answerTo({ id, projectId: NO_PROJECT })).toEqual({ value: null });
    await stored.remove(id);
  });

  it('gives no worker a question whose asker has left, and a duty deletes it', async () => {
    const [left, waiting] = [await asked(), await asked()];
    await expire(left.id);

    expect(await questions.find(left.id)).toBeNull();
    expect((await questions.find(waiting.id))?.leftMs).toBeGreaterThan(0);

    await new PieceQuestionPruning(pool).perform();
    expect(await count()).toBe(1);
  });
});
