import type { Pool } from 'pg';
import { connectionPlace } from '../connections/sealed-value';
import { eventSecretPlace } from '../event-destinations/sealed-secret';
import { triggerSecretPlace } from '../flows/sealed-trigger-secret';
import type { SecretPlace } from '../secrets/secret-box';

// The secrets in the first format, which the encryption key itself sealed. Stored answers to idempotency keys are not
// among them, because they live for a day.

type Db = Pick<Pool, 'query'>;

interface FormerTable {
  /** `$1` is the id after which to go on, `$2` the most rows. */
  find: string;
  /** Replaces `$2` by `$3`, unless somebody else has replaced it. */
  replace: string;
  placeOf(row: FormerRow): SecretPlace;
}

interface FormerRow {
  id: string;
  projectId: string;
  flowId: string;
  externalId: string;
  value: Buffer;
}

export interface FormerSecret {
  id: string;
  place: SecretPlace;
  sealed: Buffer;
}

const isFormer = (column: string): string => `substring(${column} from 1 for 1) = '\\x01'::bytea`;

export const FORMER_TABLES: readonly FormerTable[] = [
  {
    find: `
      select id, project_id as "projectId", external_id as "externalId", value from connection
      where ${isFormer('value')} and id > $1 order by id limit $2`,
    replace: 'update connection set value = $3 where id = $1 and value = $2',
    placeOf: connectionPlace,
  },
  {
    find: `
      select id, flow_id as "flowId", project_id as "projectId", value from trigger_secret
      where ${isFormer('value')} and id > $1 order by id limit $2`,
    replace: 'update trigger_secret set value = $3 where id = $1 and value = $2',
    placeOf: triggerSecretPlace,
  },
  {
    find: `
      select id, project_id as "projectId", secret as value from event_destination
      where ${isFormer('secret')} and id > $1 order by id limit $2`,
    replace: 'update event_destination set secret = $3 where id = $1 and secret = $2',
    placeOf: eventSecretPlace,
  },
];

/** Finds secrets of a table in the first format, in the order of their ids. */
export async function findFormer(db: Db, table: FormerTable, after: string, limit: number): Promise<FormerSecret[]> {
  const { rows } = await db.query<FormerRow>(table.find, [after, limit]);
  return rows.map((row) => ({ id: row.id, place: table.placeOf(row), sealed: row.value }));
}

export async function replaceFormer(
  db: Db,
  table: FormerTable,
  { id, sealed }: FormerSecret,
  fresh: Buffer,
): Promise<void> {
  await db.query(table.replace, [id, sealed, fresh]);
}
