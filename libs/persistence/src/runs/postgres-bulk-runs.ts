import { Injectable } from '@nestjs/common';
import { BulkRuns, createdAt, firstIdAt, FLOW_RUN_STATUSES, isFinal, isId, type FlowRunFilter } from '@millrace/domain';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { idRange, inIdRange } from '../postgres/id-range';
import { inTransaction, type Queryable } from '../postgres/in-transaction';
import { plainArray } from '../postgres/packed-bytes';
import { DAY_MS } from '../postgres/partitions';
import { announceStopped } from './postgres-run-notices';
import { findStatement } from './run-list.statements';

/** Trees of runs that one transaction stops: few, since a tree may be large. */
const CANCELLED_AT_ONCE = 200;
const ARCHIVED_AT_ONCE = 1_000;

const FINAL = FLOW_RUN_STATUSES.filter(isFinal)
  .map((status) => `'${status}'`)
  .join(', ');

// Locks are taken parents first, and among equals in the order of ids, so that nobody waits in a ring.
const LOCK_UNFINISHED = `
  select id from flow_run where id = any($1::uuid[]) and status in ('RUNNING', 'PAUSED') and ${inIdRange('id', 2)}
  order by id for update`;

const CHILDREN = `
  select id from flow_run where parent_run_id = any($1::uuid[]) and id > $2 order by id`;

// The epoch and the lease stay: whoever executes the run may still record what it did.
const STOP = `
  with stopped as (
    update flow_run
    set status = 'STOPPED', finish_time = clock_timestamp(), status_reason = 'The run was cancelled.', paused_at = null,
      updated = now()
    where id = any($1::uuid[]) and ${inIdRange('id', 2)}
    returning id, tags
  ), waits as (
    update run_request set ended_at = now() where run_id = any($1::uuid[]) and ended_at is null
  )
  update run_tag set status = 'STOPPED' where run_id = any(array(select id from stopped where tags <> '{}'))`;

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
  ) {
    super();
  }

  async find(filter: FlowRunFilter, afterId: string | null, limit: number): Promise<string[]> {
    const statement = findStatement(filter, afterId, limit);
    if (!statement) return [];
    const rows: { id: string }[] = await this.dataSource.query(statement.text, statement.values);
    return rows.map(({ id }) => id);
  }

  cancel(runIds: readonly string[], selected?: FlowRunFilter): Promise<number> {
    return inChunks(runIds, CANCELLED_AT_ONCE, (chunk) =>
      inTransaction(this.pool, async (tx) => {
        const named = await lockUnfinished(tx, chunk);
        if (named.length === 0) return 0;
        const descendants = await lockDescendants(tx, named);
        const others = selected ? await selectedOf(tx, without(descendants, named), selected) : 0;
        const stopped = [...named, ...descendants];
        await tx.query({ name: 'stop-runs', text: STOP, values: [plainArray(stopped), ...idRange(stopped)] });
        await announceStopped(tx, stopped);
        return named.length + others;
      }),
    );
  }

  archive(runIds: readonly string[]): Promise<number> {
    return inChunks(runIds, ARCHIVED_AT_ONCE, (chunk) =>
      inTransaction(this.pool, async (tx) => {
        const query = { name: 'archive-runs', text: ARCHIVE, values: [plainArray(chunk), ...idRange(chunk)] };
        return (await tx.query<{ count: number }>(query)).rows[0]?.count ?? 0;
      }),
    );
  }
}

/** Each id once, in order. Answers the sum. */
async function inChunks(
  runIds: readonly string[],
  size: number,
  act: (chunk: string[]) => Promise<number>,
): Promise<number> {
  const ids = [...new Set(runIds.filter(isId).map((id) => id.toLowerCase()))].sort();
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
 * The unfinished descendants, generation by generation. Who is locked, or has ended, starts no more children, so none is
 * missed; those that have ended are passed through, since their children may go on.
 */
async function lockDescendants(tx: Queryable, runIds: readonly string[]): Promise<string[]> {
  const locked: string[] = [];
  let generation = runIds;
  while (generation.length > 0) {
    const query = {
      name: 'children-of-runs',
      text: CHILDREN,
      values: [plainArray(generation), firstChildOf(generation)],
    };
    generation = idsOf(await tx.query<{ id: string }>(query));
    locked.push(...(await lockUnfinished(tx, generation)));
  }
  return locked;
}

/** A run is younger than its parent, but for what the clocks of two machines differ. */
const firstChildOf = (runIds: readonly string[]): string =>
  firstIdAt(new Date(createdAt(idRange(runIds)[0]).getTime() - DAY_MS));

/** How many of these runs the filter selects, as they are in this transaction. */
async function selectedOf(tx: Queryable, runIds: readonly string[], filter: FlowRunFilter): Promise<number> {
  const flowRunIds = filter.flowRunIds ? intersection(runIds, filter.flowRunIds) : runIds;
  const statement = flowRunIds.length > 0 && findStatement({ ...filter, flowRunIds }, null, flowRunIds.length);
  return statement ? (await tx.query<{ id: string }>(statement)).rows.length : 0;
}

function without(ids: readonly string[], others: readonly string[]): string[] {
  const left = new Set(others);
  return ids.filter((id) => !left.has(id));
}

function intersection(ids: readonly string[], others: readonly string[]): string[] {
  const common = new Set(others.map((id) => id.toLowerCase()));
  return ids.filter((id) => common.has(id));
}

const idsOf = ({ rows }: { rows: readonly { id: string }[] }): string[] => rows.map(({ id }) => id);
