import type { MigrationInterface, QueryRunner } from 'typeorm';

// Until when a worker may be inside a hook of an operation of a trigger, or of the operation in whose place it came.
export class ClaimedTriggerOperations1790860000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table trigger_operation add column claimed_until timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table trigger_operation drop column claimed_until');
  }
}
