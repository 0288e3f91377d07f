import type { MigrationInterface, QueryRunner } from 'typeorm';

// Runs that flow control holds are counted apart from those that a worker may begin.
const HELD = `
  alter table run_backlog
    add held int not null default 0,
    add oldest_accepted timestamptz;
`;

export class HeldRuns1790781000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(HELD);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table run_backlog drop held, drop oldest_accepted');
  }
}
