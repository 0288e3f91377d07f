import { Injectable } from '@nestjs/common';
import { Backlog, createdAt, type BacklogPage, type BacklogReading, type ProjectBacklog } from '@millrace/domain';
import { Pool } from 'pg';
import { NIL } from 'uuid';

// The index of unfinished runs returns a page in order. PostgreSQL knows the length of a payload without reading it. A
// scalar subquery is always a look-up by the key, for runs that have not begun: a join might read the whole ledger.
const COUNT_PAGE = `
  with page as materialized (
    select id, project_id, octet_length(payload) as bytes,
      case when start_time is null then coalesce(
        (select case when state = 'admitted' then since else 'infinity' end from flow_control_run where run_id = flow_run.id),
        '-infinity') end as turn
    from flow_run where status = 'RUNNING' and id > $1 order by id limit $2
  )
  select project_id as "projectId", count(*)::int as seen,
    count(*) filter (where turn < 'infinity')::int as runs, count(*) filter (where turn = 'infinity')::int as held,
    coalesce(sum(bytes) filter (where turn is not null), 0)::float8 as bytes,
    (select id from page where turn = '-infinity' order by id limit 1) as "oldestId",
    (select min(turn) from page where isfinite(turn)) as "oldestTurn",
    (select id from page where turn is not null order by id limit 1) as "oldestAcceptedId",
    (select id from page order by id desc limit 1) as "lastId"
  from page group by project_id`;

const PUBLISH = `
  insert into run_backlog (measured_at, runs, held, bytes, oldest, oldest_accepted, projects)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (only_row) do update set measured_at = excluded.measured_at, runs = excluded.runs, held = excluded.held,
    bytes = excluded.bytes, oldest = excluded.oldest, oldest_accepted = excluded.oldest_accepted,
    projects = excluded.projects
  where run_backlog.measured_at = $8`;

const READ = `
  select measured_at as "measuredAt", runs, held, bytes::float8 as bytes, oldest,
    oldest_accepted as "oldestAccepted", projects from run_backlog`;

interface CountedProject {
  projectId: string;
  /** All runs of the page, including those that have begun. */
  seen: number;
  /** The runs of the page that have not begun and that a worker may begin. */
  runs: number;
  /** The runs of the page that flow control holds. */
  held: number;
  bytes: number;
  /** The first run that no control holds or has let begin. */
  oldestId: string | null;
  /** When flow control let the one begin that waits longest since. */
  oldestTurn: Date | null;
  oldestAcceptedId: string | null;
  lastId: string;
}

/** A process of an earlier release writes no `held`. */
type StoredProject = Omit<ProjectBacklog, 'held'> & { held?: number };
type StoredReading = Omit<BacklogReading, 'projects'> & { projects: Record<string, StoredProject> };

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
      oldest: first ? earlier(first.oldestId, first.oldestTurn) : null,
      oldestAccepted: first?.oldestAcceptedId ? createdAt(first.oldestAcceptedId) : null,
      runsByProject: new Map(rows.filter(({ runs }) => runs > 0).map(({ projectId, runs }) => [projectId, runs])),
      heldByProject: new Map(rows.filter(({ held }) => held > 0).map(({ projectId, held }) => [projectId, held])),
      nextAfterId: first && isFull ? first.lastId : null,
    };
  }

  async publish(reading: BacklogReading, over: Date | null): Promise<void> {
    const { measuredAt, runs, held, bytes, oldest, oldestAccepted, projects } = reading;
    const byId = JSON.stringify(Object.fromEntries(projects));
    const values = [measuredAt, runs, held, bytes, oldest, oldestAccepted, byId, over];
    await this.pool.query({ name: 'publish-backlog', text: PUBLISH, values });
  }

  async read(): Promise<BacklogReading | null> {
    const [stored] = (await this.pool.query<StoredReading>({ name: 'read-backlog', text: READ })).rows;
    if (!stored) return null;
    const projects = Object.entries(stored.projects).map(([id, of]) => [id, { ...of, held: of.held ?? 0 }] as const);
    return { ...stored, projects: new Map(projects) };
  }
}

function earlier(id: string | null, turn: Date | null): Date | null {
  const accepted = id === null ? null : createdAt(id);
  return accepted && turn ? (turn < accepted ? turn : accepted) : (accepted ?? turn);
}
