import { Injectable, Optional } from '@nestjs/common';
import {
  BulkRuns,
  createdAt,
  firstIdAt,
  FLOW_RUN_STATUSES,
  isFinal,
  isId,
  LiveUpdates,
  NOBODY_WATCHES,
  RunMeters,
  type FlowRunFilter,
} from '@millrace/domain';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { rowsOf } from '../lists/list-statement';
import { EVENT_COLUMNS, insertRunEventsOf } from '../event-destinations/run-event.statements';
import { idRange, inIdRange } from '../postgres/id-range';
import { inTransaction, type Queryable } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';
import { DAY_MS } from '../postgres/partitions';
import { announceStopped } from './postgres-run-notices';
import { findStatement, matchingIds } from './run-list.statements';

/** How many runs one transaction stops, each with all its descendants. There may be many descendants. */
const CANCELLED_AT_ONCE = 200;
const ARCHIVED_AT_ONCE = 1_000;

const FINAL = FLOW_RUN_STATUSES.filter(isFinal)
  .map((status) => `'${status}'`)
  .join(', ');

// Parents are locked before their children, and the runs of one generation in the order of their ids. Two transactions
// therefore never wait for each other.
const LOCK_UNFINISHED = `
  select id from flow_run where id = any($1::uuid[]) and status in ('RUNNING', 'PAUSED') and ${inIdRange('id', 2)}
  order by id for update`;

const CHILDREN = `
  select id from flow_run where parent_run_id = any($1::uuid[]) and id > $2 order by id`;

// The epoch and the lease stay, so that a worker that executes the run can still record its steps.
const STOP = `
  with stopped as (
    update flow_run run
    set status = 'STOPPED', finish_time = clock_timestamp(), status_reason = 'The run was cancelled.', paused_at = null,
      updated = now()
    where id = any($1::uuid[]) and ${inIdRange('id', 2)}
    returning run.id, ${EVENT_COLUMNS}, array['flow_run.stopped'] as kinds
  ), reported as (${insertRunEventsOf('stopped')}), waits as (
    update run_request set ended_at = now() where run_id = any($1::uuid[]) and ended_at is null
  )
  update run_tag set status = 'STOPPED' where run_id = any(array(select id from stopped where tags <> '{}'))`;

// Runs that have ended are passed through: their children may go on.
const countTreesOf = (named: string, spared: string): string => `
  with recursive tree (id) as (
    select id from (${named}) named
    union
    select child.id from tree join flow_run child on child.parent_run_id = tree.id and child.parent_run_id is not null
    where child.id not in (select unnest(${spared}))
  )
  select count(*)::int as count from tree join flow_run run on run.id = tree.id
  where run.status in ('RUNNING', 'PAUSED')`;

const ARCHIVE = `
  with found as materialized (
    select id from flow_run
    where id = any($1::uuid[]) and archived_at is null and status in (${FINAL}) and ${inIdRange('id', 2)}
    order by id for update
  ), archived as (
    update flow_run set archived_at = now(), updated = now()
    where id = any(array(select id from found)) and ${inIdRange('id', 2)} returning id, tags
  ), tagged as (
    update run_tag set archived = true where run_id = any(array(select id from archived where tags <> '{}'))
  )
  select count(*)::int as count from archived`;

@Injectable()
export class PostgresBulkRuns extends BulkRuns {
  constructor(
    private readonly dataSource: DataSource,
    private readonly pool: Pool,
    @Optional() private readonly live: LiveUpdates = NOBODY_WATCHES,
    @Optional() private readonly meters: RunMeters = new RunMeters(),
  ) {
    super();
  }

  async find(filter: FlowRunFilter, afterId: string | null, limit: number): Promise<string[]> {
    const rows = await rowsOf<{ id: string }>(this.dataSource, findStatement(filter, afterId, limit));
    return rows.map(({ id }) => id);
  }

  async cancel(runIds: readonly string[], spared: readonly string[] = []): Promise<number> {
    const sparedIds = new Set(idsIn(spared));
    return inChunks(runIds, CANCELLED_AT_ONCE, async (chunk) => {
      const cancelled = await inTransaction(this.pool, async (tx) => {
        const named = await lockUnfinished(tx, chunk);
        if (named.length === 0) return 0;
        const stopped = [...new Set([...named, ...(await lockDescendants(tx, named, sparedIds))])];
        await tx.query({ name: 'stop-runs', text: STOP, values: [plainArray(stopped), ...idRange(stopped)] });
        await announceStopped(tx, stopped);
        return stopped.length;
      });
      this.meters.ended.add('STOPPED', cancelled); // also when a later chunk fails
      return cancelled;
    });
  }

  async countCancellable(filter: FlowRunFilter, spared: readonly string[] = []): Promise<number> {
    const named = matchingIds(filter);
    if (!named) return 0;
    const text = countTreesOf(named.text, `$${named.values.length + 1}::uuid[]`);
    const counted: { count: number }[] = await this.dataSource.query(text, [...named.values, idsIn(spared)]);
    return counted[0]?.count ?? 0;
  }

  archive(runIds: readonly string[]): Promise<number> {
    return inChunks(runIds, ARCHIVED_AT_ONCE, async (chunk) => {
      const archived = await inTransaction(this.pool, async (tx) => {
        const query = { name: 'archive-runs', text: ARCHIVE, values: [plainArray(chunk), ...idRange(chunk)] };
        return (await tx.query<{ count: number }>(query)).rows[0]?.count ?? 0;
      });
      if (this.live.isWatched) for (const id of chunk) this.live.runChanged({ id, projectId: null });
      return archived;
    });
  }
}

const idsIn = (texts: readonly string[]): string[] => texts.filter(isId).map((id) => id.toLowerCase());

/** Calls `act` with chunks of the distinct ids, in order, and returns the sum of its results. */
async function inChunks(
  runIds: readonly string[],
  size: number,
  act: (chunk: string[]) => Promise<number>,
): Promise<number> {
  const ids = [...new Set(idsIn(runIds))].sort();
  let sum = 0;
  for (let start = 0; start < ids.length; start += size) sum += await act(ids.slice(start, start + size));
  return sum;
}

async function lockUnfinished(tx: Queryable, runIds: readonly string[]): Promise<string[]> {
  if (runIds.length === 0) return [];
  const query = {
    name: 'lock-unfinished-runs',
    text: LOCK_UNFINISHED,
    values: [plainArray(runIds), ...idRange(runIds)],
  };
  return idsOf(await tx.query<{ id: string }>(query));
}

/**
 * Locks and returns the unfinished descendants, generation by generation. A run that is locked or has ended starts no
 * more children, so no child is missed. The search also passes through runs that have ended, because their children may
 * still be unfinished.
 */
async function lockDescendants(
  tx: Queryable,
  runIds: readonly string[],
  spared: ReadonlySet<string>,
): Promise<string[]> {
  const locked: string[] = [];
  let generation = runIds;
  while (generation.length > 0) {
    const query = {
      name: 'children-of-runs',
      text: CHILDREN,
      values: [plainArray(generation), firstChildOf(generation)],
    };
    generation = idsOf(await tx.query<{ id: string }>(query)).filter((id) => !spared.has(id));
    locked.push(...(await lockUnfinished(tx, generation)));
  }
  return locked;
}

/** The smallest id that a child of these runs can have. The clocks of two machines may differ by up to a day. */
const firstChildOf = (runIds: readonly string[]): string =>
  firstIdAt(new Date(createdAt(idRange(runIds)[0]).getTime() - DAY_MS));

const idsOf = ({ rows }: { rows: readonly { id: string }[] }): string[] => rows.map(({ id }) => id);
