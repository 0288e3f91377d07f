import type { MigrationInterface, QueryRunner } from 'typeorm';

// Schedules. `next_instant` is the next instant of a schedule; `due_at` is when its run starts, which jitter delays. An
// instant has at most one run, however long ago that was, and the row of `schedule_run` says that it has one. The table
// has no foreign key, because its check would lock the flow.
const SCHEDULES = `
  alter table trigger_state add column next_instant timestamptz;
  create table schedule_run (
    flow_id uuid not null,
    instant timestamptz not null,
    run_id uuid not null,
    primary key (flow_id, instant)
  );
  create index schedule_run_instant on schedule_run using brin (instant);
`;

export class Schedules1790610000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SCHEDULES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table schedule_run');
    await runner.query('alter table trigger_state drop column next_instant');
  }
}
