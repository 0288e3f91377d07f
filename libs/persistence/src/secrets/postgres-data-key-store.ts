import { isId } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { DataKeyStore } from './data-keys';
import type { KeyPurpose, WrappedKey } from './key-ring';

const COLUMNS = `id, purpose, project_id as "projectId", wrapped, wrapped_by as "wrappedBy"`;
const NO_PROJECT = '00000000-0000-0000-0000-000000000000';

const FIND = `select ${COLUMNS} from data_key where id = $1`;
// The expression is that of the unique index.
const FIND_OF = `select ${COLUMNS} from data_key where purpose = $1 and coalesce(project_id, '${NO_PROJECT}') = $2`;
const INSERT = `
  insert into data_key (id, purpose, project_id, wrapped, wrapped_by, created) values ($1, $2, $3, $4, $5, now())
  on conflict do nothing`;

@Injectable()
export class PostgresDataKeyStore extends DataKeyStore {
  constructor(private readonly pool: Pick<Pool, 'query'>) {
    super();
  }

  async find(id: string): Promise<WrappedKey | null> {
    return isId(id) ? this.first('find-data-key', FIND, [id]) : null;
  }

  findOf(purpose: KeyPurpose, projectId: string | null): Promise<WrappedKey | null> {
    return this.first('find-data-key-of', FIND_OF, [purpose, projectId ?? NO_PROJECT]);
  }

  async insert({ id, purpose, projectId, wrapped, wrappedBy }: WrappedKey): Promise<void> {
    await this.pool.query(INSERT, [id, purpose, projectId, wrapped, wrappedBy]).catch(asNamedError);
  }

  private async first(name: string, text: string, values: unknown[]): Promise<WrappedKey | null> {
    const { rows } = await this.pool.query<WrappedKey>({ name, text, values }).catch(asNamedError);
    return rows[0] ?? null;
  }
}

function asNamedError(error: unknown): never {
  throw nameDatabaseError(error);
}
