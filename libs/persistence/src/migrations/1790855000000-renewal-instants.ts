import type { MigrationInterface, QueryRunner } from 'typeorm';

// Triggers of packages are renewed at the instants of a cron expression. Without one, `every_hours` says how often.
export class RenewalInstants1790855000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table trigger_renewal add cron text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table trigger_renewal drop cron');
  }
}
