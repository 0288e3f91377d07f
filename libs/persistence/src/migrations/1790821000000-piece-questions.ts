import type { MigrationInterface, QueryRunner } from 'typeorm';

// What the api asks packages of pieces, sealed, with the answers of workers. A row lives for seconds, so the table may be
// lost in a crash of the server, and no backup has it.
const PIECE_QUESTIONS = `
  create unlogged table piece_question (
    id uuid primary key,
    project_id uuid not null,
    question bytea not null,
    answer bytea,
    expires timestamptz not null
  )`;

export class PieceQuestions1790821000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PIECE_QUESTIONS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table piece_question');
  }
}
