import { Injectable } from '@nestjs/common';
import { CodeBundleStore, type StoredCodeBundle } from '@millrace/domain';
import { Pool } from 'pg';
import { decodeJson, encodeExactJson } from '../postgres/stored-json';

const FIND = 'select bundle from code_bundle where source_hash = $1';

const SAVE = 'insert into code_bundle (source_hash, bundle) values ($1, $2) on conflict do nothing';

@Injectable()
export class PostgresCodeBundleStore extends CodeBundleStore {
  constructor(private readonly pool: Pool) {
    super();
  }

  async find(sourceHash: string): Promise<StoredCodeBundle | null> {
    const query = { name: 'find-code-bundle', text: FIND, values: [sourceHash] };
    const row = (await this.pool.query<{ bundle: Buffer }>(query)).rows[0];
    return row ? (JSON.parse(await decodeJson(row.bundle)) as StoredCodeBundle) : null;
  }

  async save(sourceHash: string, { script, scriptHash, sourceMap }: StoredCodeBundle): Promise<void> {
    const bytes = await encodeExactJson(JSON.stringify({ script, scriptHash, sourceMap }));
    await this.pool.query({ name: 'save-code-bundle', text: SAVE, values: [sourceHash, bytes] });
  }
}
