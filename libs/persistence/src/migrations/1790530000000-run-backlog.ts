import type { MigrationInterface, QueryRunner } from 'typeorm';

// What was counted last of the runs that have not begun: one row, written by who leads, and read by all.
const BACKLOG = `
  create table run_backlog (
    only_row boolean primary key default true check (only_row),
    measured_at timestamptz not null,
    runs int not null,
    bytes bigint not null,
    oldest timestamptz,
    projects json not null
  )`;

export class RunBacklog1790530000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(BACKLOG);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table run_backlog');
  }
}
