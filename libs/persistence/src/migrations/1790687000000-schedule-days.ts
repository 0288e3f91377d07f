import type { MigrationInterface, QueryRunner } from 'typeorm';

// Which instants of a schedule have a run: one bit for each minute of a day in UTC, as instants are whole minutes. A row
// for each instant would make half a million rows a year for a schedule of every minute. A page keeps as much room as it
// has rows, so that the schedules of one minute are marked in place.
const SCHEDULE_DAYS = `
  create table schedule_day (
    flow_id uuid not null,
    day date not null,
    minutes bit(1440) not null,
    primary key (flow_id, day)
  ) with (fillfactor = 45);
  create index schedule_day_day on schedule_day using brin (day);

  insert into schedule_day (flow_id, day, minutes)
  select flow_id, (instant at time zone 'UTC')::date,
         bit_or(set_bit(repeat('0', 1440)::bit(1440), (extract(epoch from instant)::bigint / 60 % 1440)::int, 1))
  from schedule_run group by 1, 2;

  drop table schedule_run;
`;

const REVERT = `
  create table schedule_run (
    flow_id uuid not null,
    instant timestamptz not null,
    run_id uuid not null,
    primary key (flow_id, instant)
  );
  create index schedule_run_instant on schedule_run using brin (instant);

  insert into schedule_run (flow_id, instant, run_id)
  select flow_id, day::timestamp at time zone 'UTC' + minute * interval '1 minute', flow_id
  from schedule_day, generate_series(0, 1439) as minute where get_bit(minutes, minute) = 1;

  drop table schedule_day;
`;

export class ScheduleDays1790687000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SCHEDULE_DAYS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(REVERT);
  }
}
