import type { MigrationInterface, QueryRunner } from 'typeorm';

// Every second a duty looks at the runs that hold places. Those that are paused hold none, and may be very many.
const SPLIT = `
  drop index flow_control_holders;
  create index flow_control_admitted on flow_control_run (run_id) where state = 'admitted';
  create index flow_control_paused on flow_control_run (run_id) where state = 'paused'`;

const REVERT = `
  drop index flow_control_admitted, flow_control_paused;
  create index flow_control_holders on flow_control_run (run_id) where state in ('admitted', 'paused')`;

export class ControlledRunStates1790710000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SPLIT);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(REVERT);
  }
}
