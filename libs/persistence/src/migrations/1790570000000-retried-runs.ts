import type { MigrationInterface, QueryRunner } from 'typeorm';

// Retries of many runs look for runs that have no retry yet. Most runs are no retries.
export class RetriedRuns1790570000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index flow_run_retry on flow_run (retry_of_run_id) where retry_of_run_id is not null');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index flow_run_retry');
  }
}
