import type { MigrationInterface, QueryRunner } from 'typeorm';

// Without them PostgreSQL takes every failed step for a rare one, and sorts all runs that failed there for each page of
// them: it does not look at the statistics of partial indexes. A new partition gets them from the table that it is made
// like. PostgreSQL 13 knows none about expressions.
const MAKE = `
do $$
declare made regclass;
begin
  if current_setting('server_version_num')::int < 140000 then return; end if;
  for made in select 'flow_run'::regclass union all select inhrelid from pg_inherits where inhparent = 'flow_run'::regclass loop
    execute format('create statistics %I on (left(failed_step ->> ''name'', 200)) from %s', made || '_failed_step', made);
  end loop;
end $$`;

const DROP = `
do $$
declare made text;
begin
  for made in select format('%I.%I', stxnamespace::regnamespace::text, stxname) from pg_statistic_ext where stxrelid = 'flow_run'::regclass
      or stxrelid in (select inhrelid from pg_inherits where inhparent = 'flow_run'::regclass) loop
    execute format('drop statistics %s', made);
  end loop;
end $$`;

export class FailedStepStatistics1790550000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(MAKE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DROP);
  }
}
