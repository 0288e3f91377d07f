import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { inTransaction, type Queryable } from './in-transaction';
import { isLockTimeout } from './postgres-failure';

// Partitions of the tables that grow with time. What finds no partition of its own falls into the default one, and is
// moved when its partition is made.

export interface PartitionedTable {
  name: string;
  /** The column that is partitioned by. */
  key: string;
  /** Storage settings of each partition. */
  settings?: string;
}

export interface Partition {
  name: string;
  /** From this value of the key on, and up to, but without, that one. */
  from: string;
  to: string;
}

/** Any number, the same in every process. */
const PARTITIONS_LOCK = 7_203_115_003;
export const DAY_MS = 24 * 60 * 60 * 1000;
/** Everyone else's statements wait behind the one that waits for the table. */
const LONGEST_WAIT_MS = 250;
const LONGEST_MOVE_MS = 60_000;

/** How often a table that others are using is tried, and how long those have it for themselves in between. */
export interface LockPatience {
  tries: number;
  pauseMs: number;
}

const PATIENCE: LockPatience = { tries: 10, pauseMs: 2_000 };

/** Somebody uses the table for longer than everybody else may be kept waiting behind us. */
export class TableInUseError extends Error {
  constructor({ name }: PartitionedTable, cause: unknown) {
    super(`The partitions of ${name} could not be changed, because a statement has been using them for long.`, {
      cause,
    });
  }
}

/** Makes the partition unless it is there. Two processes may do it at once. Throws TableInUseError. */
export async function ensurePartition(
  pool: Pool,
  table: PartitionedTable,
  partition: Partition,
  patience = PATIENCE,
): Promise<void> {
  if (await isAttached(pool, table, partition)) return;
  await changePartitions(pool, table, patience, async (tx) => {
    if (!(await isAttached(tx, table, partition))) await attachPartition(tx, table, partition);
  });
}

/** One process at a time. It waits for locks for a moment only, and comes again. */
async function changePartitions(
  pool: Pool,
  table: PartitionedTable,
  { tries, pauseMs }: LockPatience,
  change: (tx: Queryable) => Promise<void>,
): Promise<void> {
  const once = async (tx: Queryable): Promise<void> => {
    await tx.query(
      `select pg_advisory_xact_lock(${PARTITIONS_LOCK}); set local lock_timeout = ${LONGEST_WAIT_MS};
       set local statement_timeout = ${LONGEST_MOVE_MS}`,
    );
    try {
      await change(tx);
    } catch (error) {
      // Not as it is: a transaction that cannot have a lock would be tried again at once.
      throw isLockTimeout(error) ? new TableInUseError(table, error) : error;
    }
  };
  for (let tried = 1; ; tried++) {
    try {
      return await inTransaction(pool, once);
    } catch (error) {
      if (!(error instanceof TableInUseError) || tried >= tries) throw error;
      await sleep(pauseMs);
    }
  }
}

/**
 * `create table … partition of` would lock the whole table. Attaching locks only the default partition, for as long as
 * it takes to see that nothing that belongs into the new one is left in it.
 */
async function attachPartition(tx: Queryable, table: PartitionedTable, { name, from, to }: Partition): Promise<void> {
  const settings = table.settings ? ` with (${table.settings})` : '';
  await tx.query(`
    create table ${name} (like ${table.name} including all)${settings};
    lock table ${table.name}_default in access exclusive mode;
    with moved as (
      delete from ${table.name}_default where ${table.key} >= '${from}' and ${table.key} < '${to}' returning *
    )
    insert into ${name} select * from moved;
    alter table ${table.name} attach partition ${name} for values from ('${from}') to ('${to}')`);
}

async function isAttached(
  db: Pick<Pool | PoolClient, 'query'>,
  table: PartitionedTable,
  { name }: Partition,
): Promise<boolean> {
  const { rowCount } = await db.query<object>(
    `select 1 from pg_inherits where inhparent = $1::regclass and inhrelid = to_regclass($2)`,
    [table.name, name],
  );
  return rowCount === 1;
}

/** The names of the partitions that are there, but for the default one; the oldest first. */
export async function partitionNames(pool: Pool, table: PartitionedTable): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid
     where inhparent = $1::regclass and child.relname ~ '_[0-9]+$' order by child.relname`,
    [table.name],
  );
  return rows.map(({ name }) => name);
}

/**
 * Drops the partition. `moveRows` puts what is to stay back into the table, where it finds the default partition; the
 * table is locked meanwhile, so that should be little. Throws TableInUseError.
 */
export async function dropPartition(
  pool: Pool,
  table: PartitionedTable,
  name: string,
  moveRows: (tx: Queryable) => Promise<unknown> = () => Promise.resolve(),
  patience = PATIENCE,
): Promise<void> {
  await changePartitions(pool, table, patience, async (tx) => {
    await tx.query(`alter table ${table.name} detach partition ${name}`);
    await moveRows(tx);
    await tx.query(`drop table ${name}`);
  });
}
