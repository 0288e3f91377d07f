import type { MigrationInterface, QueryRunner } from 'typeorm';

// Failed runs are found by the kind of their message. Writers go on while the indexes are built, which PostgreSQL can
// only do for one partition at a time; FailureFingerprints then joins them. No other run is in them.
const FAILED = `(coalesce(failed_step ->> 'fingerprint', '')), (archived_at is null), id) where status = 'FAILED'`;
const PLACES = ['project', 'flow'] as const;

// PostgreSQL does not look at the statistics of partial indexes, see FailedStepStatistics. These tell which flows fail
// often in which way: a page of such runs is then read in the order of the index, and not by sorting all of them. A new
// partition gets them from the table that it is made like. PostgreSQL 13 knows none about expressions.
const STATISTICS = `
do $$
declare made regclass;
begin
  if current_setting('server_version_num')::int < 140000 then return; end if;
  for made in select 'flow_run'::regclass union all select inhrelid from pg_inherits where inhparent = 'flow_run'::regclass loop
    execute format('create statistics if not exists %I (mcv) on status, flow_id,
      (coalesce(failed_step ->> ''fingerprint'', '''')) from %s', made || '_fingerprint', made);
  end loop;
end $$`;

const DROP_STATISTICS = `
do $$
declare made text;
begin
  for made in select format('%I.%I', stxnamespace::regnamespace::text, stxname) from pg_statistic_ext
      where stxname like 'flow_run%_fingerprint' loop
    execute format('drop statistics %s', made);
  end loop;
end $$`;

export class FingerprintsOfMonths1790810000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const partition of await partitionsOf(runner))
      for (const place of PLACES) {
        const name = `${partition}_${place}_fingerprint`;
        // An earlier try may have ended midway.
        const [broken] = await named(
          runner,
          `select indexrelid::regclass::text as name from pg_index
          where indexrelid = to_regclass('${name}') and not indisvalid`,
        );
        if (broken) await runner.query(`drop index concurrently ${name}`);
        await runner.query(`create index concurrently if not exists ${name} on ${partition} (${place}_id, ${FAILED}`);
      }
    await runner.query(STATISTICS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DROP_STATISTICS);
    for (const partition of await partitionsOf(runner))
      for (const place of PLACES) await runner.query(`drop index if exists ${partition}_${place}_fingerprint`);
  }
}

const partitionsOf = (runner: QueryRunner): Promise<string[]> =>
  named(runner, `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'flow_run'::regclass`);

async function named(runner: QueryRunner, text: string): Promise<string[]> {
  const rows = (await runner.query(text)) as { name: string }[];
  return rows.map(({ name }) => name);
}
