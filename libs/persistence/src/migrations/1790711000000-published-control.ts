import type { MigrationInterface, QueryRunner } from 'typeorm';

// The limits of the published version of a flow, for the decisions about runs of all its versions. They are not on
// record until the flow is published again. A duty looks at the waiting runs of flows that are not reviewed.
const PUBLISHED = `
  create table flow_control_published (
    flow_id uuid primary key,
    concurrency int,
    rate int,
    rate_window_ms int,
    gathers boolean not null,
    is_reviewed boolean not null default false
  );
  create index flow_control_unreviewed on flow_control_published (flow_id) where not is_reviewed;
  create index flow_control_held on flow_control_run (flow_id) where state in ('waiting', 'gathering')`;

const REVERT = `
  drop index flow_control_held;
  drop table flow_control_published`;

export class PublishedControl1790711000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PUBLISHED);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(REVERT);
  }
}
