import { Injectable } from '@nestjs/common';
import { Backlog, createdAt, type BacklogPage, type BacklogReading, type ProjectBacklog } from '@millrace/domain';
import { Pool } from 'pg';
import { NIL } from 'uuid';

// The index of unfinished runs returns a page in order. PostgreSQL knows the length of a payload without reading it.
const COUNT_PAGE = `
  with page as materialized (
    select id, project_id, start_time is null as waits, octet_length(payload) as bytes
    from flow_run where status = 'RUNNING' and id > $1 order by id limit $2
  )
  select project_id as "projectId", count(*)::int as seen, count(*) filter (where waits)::int as runs,
    coalesce(sum(bytes) filter (where waits), 0)::float8 as bytes,
    (select id from page where waits order by id limit 1) as "oldestId",
    (select id from page order by id desc limit 1) as "lastId"
  from page group by project_id`;

const PUBLISH = `
  insert into run_backlog (measured_at, runs, bytes, oldest, projects) values ($1, $2, $3, $4, $5)
  on conflict (only_row) do update set measured_at = excluded.measured_at, runs = excluded.runs, bytes = excluded.bytes,
    oldest = excluded.oldest, projects = excluded.projects
  where run_backlog.measured_at = $6`;

const READ = `
  select measured_at as "measuredAt", runs, bytes::float8 as bytes, oldest, projects from run_backlog`;

interface CountedProject {
  projectId: string;
  /** All runs of the page, including those that have begun. */
  seen: number;
  /** The runs of the page that have not begun. */
  runs: number;
  bytes: number;
  oldestId: string | null;
  lastId: string;
}

type StoredReading = Omit<BacklogReading, 'projects'> & { projects: Record<string, ProjectBacklog> };

@Injectable()
export class PostgresBacklog extends Backlog {
  constructor(private readonly pool: Pool) {
    super();
  }

  async countPage(afterId: string | null, limit: number): Promise<BacklogPage> {
    const query = { name: 'count-backlog-page', text: COUNT_PAGE, values: [afterId ?? NIL, limit] };
    const { rows } = await this.pool.query<CountedProject>(query);
    const [first] = rows;
    const isFull = rows.reduce((total, { seen }) => total + seen, 0) === limit;
    return {
      bytes: rows.reduce((total, { bytes }) => total + bytes, 0),
      oldest: first?.oldestId ? createdAt(first.oldestId) : null,
      runsByProject: new Map(rows.filter(({ runs }) => runs > 0).map(({ projectId, runs }) => [projectId, runs])),
      nextAfterId: first && isFull ? first.lastId : null,
    };
  }

  async publish({ measuredAt, runs, bytes, oldest, projects }: BacklogReading, over: Date | null): Promise<void> {
    const values = [measuredAt, runs, bytes, oldest, JSON.stringify(Object.fromEntries(projects)), over];
    await this.pool.query({ name: 'publish-backlog', text: PUBLISH, values });
  }

  async read(): Promise<BacklogReading | null> {
    const [stored] = (await this.pool.query<StoredReading>({ name: 'read-backlog', text: READ })).rows;
    return stored ? { ...stored, projects: new Map(Object.entries(stored.projects)) } : null;
  }
}
