import type { MigrationInterface, QueryRunner } from 'typeorm';

// The workers that have registered, and when each told last that it lives.

export class WorkerMachines1790763000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table worker_machine (
        id uuid primary key,
        hostname text not null,
        version text not null,
        queue text not null,
        concurrency integer not null,
        created timestamptz not null,
        last_heartbeat timestamptz not null
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table worker_machine');
  }
}
