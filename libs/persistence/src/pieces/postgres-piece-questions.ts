import {
  isId,
  NO_PROJECT,
  PieceQuestions,
  QUESTION_SECONDS,
  type AskedQuestion,
  type PieceAnswer,
  type PieceQuestion,
} from '@millrace/domain';
import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { newId } from '../postgres/new-id';
import { SIDE_WORK_POOL } from '../postgres/pool-share';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { SecretBox, type SecretPlace } from '../secrets/secret-box';

const INSERT = `
  insert into piece_question (id, project_id, question, expires)
  values ($1, $2, $3, now() + ${QUESTION_SECONDS} * interval '1 second')`;
const FIND = `
  select project_id, question, extract(epoch from expires - now())::float8 * 1000 as left_ms from piece_question
  where id = $1 and expires > now() and answer is null`;
const ANSWER = 'update piece_question set answer = $2 where id = $1 and answer is null';
const FIND_ANSWER = 'select answer from piece_question where id = $1 and answer is not null';
const REMOVE = 'delete from piece_question where id = $1';

interface QuestionRow {
  project_id: string;
  question: Buffer;
  left_ms: number;
}

type Asked = Pick<AskedQuestion, 'id' | 'projectId'>;

@Injectable()
export class PostgresPieceQuestions extends PieceQuestions {
  constructor(
    @Inject(SIDE_WORK_POOL) private readonly pool: Pool,
    private readonly box: SecretBox,
  ) {
    super();
  }

  async ask(projectId: string, question: PieceQuestion): Promise<string> {
    const id = newId();
    const sealed = await this.box.seal(JSON.stringify(question), placeOf({ id, projectId }, 'question'));
    await this.rows(INSERT, [id, projectId, sealed]);
    return id;
  }

  async find(id: string): Promise<AskedQuestion | null> {
    const [row] = isId(id) ? await this.rows<QuestionRow>(FIND, [id]) : [];
    if (!row) return null;
    const { project_id: projectId, left_ms: leftMs } = row;
    const text = await this.box.open(row.question, placeOf({ id, projectId }, 'question'));
    return { id, projectId, question: JSON.parse(text) as PieceQuestion, leftMs };
  }

  async answer(asked: Asked, answer: PieceAnswer): Promise<void> {
    const sealed = await this.box.seal(JSON.stringify(answer), placeOf(asked, 'answer'));
    await this.rows(ANSWER, [asked.id, sealed]);
  }

  async answerTo(asked: Asked): Promise<PieceAnswer | null> {
    const [row] = await this.rows<{ answer: Buffer }>(FIND_ANSWER, [asked.id]);
    return row ? (JSON.parse(await this.box.open(row.answer, placeOf(asked, 'answer'))) as PieceAnswer) : null;
  }

  async remove(id: string): Promise<void> {
    await this.rows(REMOVE, [id]);
  }

  /** Sends a statement alone. Throws ServiceUnavailableError when the database is unavailable. */
  private async rows<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    try {
      return (await this.pool.query<Row>(text, values)).rows;
    } catch (error) {
      throw nameDatabaseError(error);
    }
  }
}

const placeOf = ({ id, projectId }: Asked, column: 'question' | 'answer'): SecretPlace => ({
  name: `the ${column} about a package`,
  table: 'piece_question',
  row: [id, column],
  projectId: projectId === NO_PROJECT ? null : projectId.toLowerCase(),
  purpose: 'secrets',
  formerContext: '',
});
