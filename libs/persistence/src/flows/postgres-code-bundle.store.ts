import { Injectable } from '@nestjs/common';
import { CodeBundleStore, type StoredCodeBundle } from '@millrace/domain';
import { Pool } from 'pg';
import { decodeJson, encodeExactJson } from '../postgres/stored-json';

// A look-up notes that the bundle is used, at most once an hour, so that the pruning keeps it. A bundle that is deleted
// at this moment is not found.
const FIND = `
  with noted as (
    update code_bundle set used_at = now() where source_hash = $1 and used_at < now() - interval '1 hour' returning bundle
  )
  select bundle from noted
  union all
  select bundle from code_bundle where source_hash = $1 and used_at >= now() - interval '1 hour'`;

const SAVE = 'insert into code_bundle (source_hash, bundle) values ($1, $2) on conflict do nothing';

@Injectable()
export class PostgresCodeBundleStore extends CodeBundleStore {
  constructor(private readonly pool: Pool) {
    super();
  }

  async find(sourceHash: string): Promise<StoredCodeBundle | null> {
    // The first statement may miss a bundle whose use another process noted after the statement had begun.
    const row = (await this.take(sourceHash)) ?? (await this.take(sourceHash));
    return row ? (JSON.parse(await decodeJson(row.bundle)) as StoredCodeBundle) : null;
  }

  async save(sourceHash: string, { script, scriptHash, sourceMap }: StoredCodeBundle): Promise<void> {
    const bytes = await encodeExactJson(JSON.stringify({ script, scriptHash, sourceMap }));
    await this.pool.query({ name: 'save-code-bundle', text: SAVE, values: [sourceHash, bytes] });
  }

  private async take(sourceHash: string): Promise<{ bundle: Buffer } | undefined> {
    const query = { name: 'find-code-bundle', text: FIND, values: [sourceHash] };
    return (await this.pool.query<{ bundle: Buffer }>(query)).rows[0];
  }
}
