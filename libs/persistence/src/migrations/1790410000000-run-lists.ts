import type { MigrationInterface, QueryRunner } from 'typeorm';

// A page of runs is merged from stretches that are each in the order of ids: one for each status, of runs that are
// archived or not. A run is in two of the first four indexes, as it was in two before; the others hold few runs.
const RUNS = `
  drop index flow_run_project, flow_run_flow;
  create index flow_run_project on flow_run (project_id, status, id) where archived_at is null;
  create index flow_run_flow on flow_run (flow_id, status, id) where archived_at is null;
  create index flow_run_project_archived on flow_run (project_id, status, id) where archived_at is not null;
  create index flow_run_flow_archived on flow_run (flow_id, status, id) where archived_at is not null;
  create index flow_run_project_testing on flow_run (project_id, status, (archived_at is null), id)
    where environment = 'TESTING';
  create index flow_run_flow_testing on flow_run (flow_id, status, (archived_at is null), id)
    where environment = 'TESTING';
  create index flow_run_project_failed on flow_run (project_id, left(failed_step ->> 'name', 200), (archived_at is null), id)
    where status = 'FAILED';
  create index flow_run_flow_failed on flow_run (flow_id, left(failed_step ->> 'name', 200), (archived_at is null), id)
    where status = 'FAILED';
`;

// The tags of runs once more, where a list finds them in the order of ids; of a long one its beginning, since an index
// takes no more. The status is the run's when it is final; PAUSED says that it was not when this was written, and that
// the run knows.
const TAGS = `
  create table run_tag (
    run_id uuid not null,
    tag text collate "C" not null,
    project_id uuid not null,
    flow_id uuid not null,
    status text not null,
    archived boolean not null default false,
    primary key (run_id, tag)
  ) with (fillfactor = 80);
  create index run_tag_project on run_tag (project_id, tag, archived, status, run_id);
  create index run_tag_flow on run_tag (flow_id, tag, archived, status, run_id);
  insert into run_tag
  select distinct id, left(tag, 200), project_id, flow_id, case status when 'RUNNING' then 'PAUSED' else status end,
    archived_at is not null
  from flow_run cross join unnest(tags) as tag where tags <> '{}';
`;

// How far the data of old runs is purged: every run up to the mark but those that had not ended, or not long enough ago,
// when it passed them.
const RETENTION = `
  create table run_data_mark (
    only_one boolean primary key default true check (only_one),
    purged_up_to uuid not null
  );
  insert into run_data_mark (purged_up_to) values ('00000000-0000-0000-0000-000000000000');
  create table run_data_kept (run_id uuid primary key);
`;

export class RunLists1790410000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const part of [RUNS, TAGS, RETENTION]) await runner.query(part);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table run_data_mark, run_data_kept, run_tag;
      drop index flow_run_project, flow_run_flow, flow_run_project_archived, flow_run_flow_archived,
        flow_run_project_testing, flow_run_flow_testing, flow_run_project_failed, flow_run_flow_failed;
      create index flow_run_project on flow_run (project_id, id);
      create index flow_run_flow on flow_run (flow_id, id)`);
  }
}
