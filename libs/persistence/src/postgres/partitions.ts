import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { inTransaction, type Queryable } from './in-transaction';
import { isLockTimeout } from './postgres-failure';

// Partitions of the tables that grow with time. A row without a partition of its own is stored in the default
// partition, and is moved when its partition is made.

export interface PartitionedTable {
  name: string;
  /** The column that decides the partition of a row. */
  key: string;
  /** Storage settings of each partition. */
  settings?: string;
}

export interface Partition {
  name: string;
  /** The partition holds keys from `from` (inclusive) to `to` (exclusive). */
  from: string;
  to: string;
}

/** The key of the advisory lock. It may be any number that is the same in every process. */
const PARTITIONS_LOCK = 7_203_115_003;
export const DAY_MS = 24 * 60 * 60 * 1000;
/** How long a change waits for the table's lock. All later statements on the table wait behind it meanwhile. */
const LONGEST_WAIT_MS = 250;
const LONGEST_MOVE_MS = 60_000;

/** How often a change tries to lock a table that is in use, and how long it pauses between two tries. */
export interface LockPatience {
  tries: number;
  pauseMs: number;
}

const PATIENCE: LockPatience = { tries: 10, pauseMs: 2_000 };

/** Thrown when statements kept a table locked during every try to change its partitions. */
export class TableInUseError extends Error {
  constructor({ name }: PartitionedTable, cause: unknown) {
    super(`The partitions of ${name} could not be changed, because other statements kept the table in use.`, {
      cause,
    });
  }
}

/**
 * Makes the partition unless it exists, and returns whether it did. Several processes may do so at the same time. Throws TableInUseError when every
 * try to lock the table failed.
 */
export async function ensurePartition(
  pool: Pool,
  table: PartitionedTable,
  partition: Partition,
  patience = PATIENCE,
): Promise<boolean> {
  if (await isAttached(pool, table, partition)) return false;
  let isNew = false;
  await changePartitions(pool, table, patience, async (tx) => {
    isNew = !(await isAttached(tx, table, partition));
    if (isNew) await attachPartition(tx, table, partition);
  });
  return isNew;
}

/**
 * An advisory lock lets one process change partitions at a time. It waits briefly for table locks and tries again
 * later.
 */
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
      // `inTransaction` would repeat a transaction at once that could not get a lock; it does not repeat
      // TableInUseError.
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
 * `create table … partition of` would lock the whole table. Attaching locks only the default partition, until
 * PostgreSQL has checked that it holds no row of the new partition.
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

/** Returns the names of the existing partitions, oldest first, without the default partition. */
export async function partitionNames(pool: Pool, table: PartitionedTable): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid
     where inhparent = $1::regclass and child.relname ~ '_[0-9]+$' order by child.relname`,
    [table.name],
  );
  return rows.map(({ name }) => name);
}

/**
 * Drops the partition. `moveRows` inserts the rows that must stay into the table again, where they are stored in the
 * default partition. The table is locked meanwhile, so it should move few rows. Throws TableInUseError when every try
 * to lock the table failed.
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
