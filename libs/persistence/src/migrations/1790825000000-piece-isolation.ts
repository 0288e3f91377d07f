import type { MigrationInterface, QueryRunner } from 'typeorm';

// What separates packages of pieces from the machine of each worker. Workers of earlier releases do not tell.

export class PieceIsolation1790825000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table worker_machine add column piece_isolation text[]');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table worker_machine drop column piece_isolation');
  }
}
