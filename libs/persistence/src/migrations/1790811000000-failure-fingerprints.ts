import type { MigrationInterface, QueryRunner } from 'typeorm';

// The partitions have these indexes (FingerprintsOfMonths), so PostgreSQL joins them instead of building any. Later
// partitions are made with them.
const FAILED = `(coalesce(failed_step ->> 'fingerprint', '')), (archived_at is null), id) where status = 'FAILED'`;

export class FailureFingerprints1790811000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index if not exists flow_run_project_fingerprint on flow_run (project_id, ${FAILED};
      create index if not exists flow_run_flow_fingerprint on flow_run (flow_id, ${FAILED}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index flow_run_project_fingerprint, flow_run_flow_fingerprint');
  }
}
