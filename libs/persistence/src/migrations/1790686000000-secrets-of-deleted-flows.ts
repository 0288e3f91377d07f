import type { MigrationInterface, QueryRunner } from 'typeorm';

// The secrets of a trigger stay until what its deleted flow has registered elsewhere is taken back.
const KEEP = 'alter table trigger_secret drop constraint trigger_secret_flow_id_fkey';

const REVERT = `
  delete from trigger_secret where flow_id not in (select id from flow);
  alter table trigger_secret
    add constraint trigger_secret_flow_id_fkey foreign key (flow_id) references flow (id) on delete cascade;
`;

export class SecretsOfDeletedFlows1790686000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(KEEP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(REVERT);
  }
}
