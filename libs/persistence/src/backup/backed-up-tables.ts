import type { Client } from 'pg';

// Which tables a backup has. They are read from the catalogue, so that a table of a new migration is never forgotten.

/** A table with its rows. The rows of a partitioned table are copied by the table itself. */
export interface BackedUpTable {
  name: string;
  /** The columns that are stored. Generated ones are computed again. */
  columns: string[];
  /** The names of its partitions, without the default one. */
  partitions: string[];
}

/**
 * The migrations are in the manifest, and a restore runs them. Who leads has no meaning in another database. Counters
 * that the server may lose at any time (unlogged tables) are left out too.
 */
const LEFT_OUT = ['migration', 'leader_lease'];

const TABLES = `
  select relname as name,
    array(select attname::text from pg_attribute
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
    array(select child.relname::text from pg_inherits join pg_class child on child.oid = inhrelid
      where inhparent = pg_class.oid and child.relname ~ '_[0-9]+$' order by 1) as partitions
  from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relpersistence = 'p'
    and relname <> all($1)
  order by relname`;

export const readTables = async (client: Client): Promise<BackedUpTable[]> =>
  (await client.query<BackedUpTable>(TABLES, [LEFT_OUT])).rows;

const REFERENCES = `
  select distinct conrelid::regclass::text as "from", confrelid::regclass::text as "to"
  from pg_constraint where contype = 'f' and conrelid <> confrelid`;

/** Sorts the tables so that rows come after those that they refer to. Foreign keys are checked as rows are inserted. */
export async function inOrderOfReferences<Table extends { name: string }>(
  client: Client,
  tables: readonly Table[],
): Promise<Table[]> {
  const { rows } = await client.query<{ from: string; to: string }>(REFERENCES);
  const ordered: Table[] = [];
  const visited = new Set<string>();
  const visit = (table: Table): void => {
    if (visited.has(table.name)) return;
    visited.add(table.name);
    const needed = rows.filter(({ from }) => from === table.name).map(({ to }) => to);
    for (const other of tables) if (needed.includes(other.name)) visit(other);
    ordered.push(table);
  };
  tables.forEach(visit);
  return ordered;
}

/** The settings by which values become text. Both sides of a copy must have the same ones. */
const TEXT_SETTINGS = { datestyle: 'ISO', intervalstyle: 'postgres', timezone: 'UTC', extra_float_digits: '3' };

/** Prepares a connection that copies rows: nothing that it does is short, and its values are written in one form. */
export async function prepareForCopies(client: Client): Promise<void> {
  const limits = { statement_timeout: '0', lock_timeout: "'60s'", idle_in_transaction_session_timeout: "'10min'" };
  const settings = { ...limits, ...TEXT_SETTINGS, client_encoding: "'UTF8'" };
  for (const [name, value] of Object.entries(settings)) await client.query(`set ${name} = ${value}`);
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const nameOf = ({ name }: { name: string }): string => `public.${quoted(name)}`;
export const columnsOf = ({ columns }: Pick<BackedUpTable, 'columns'>): string => columns.map(quoted).join(', ');
