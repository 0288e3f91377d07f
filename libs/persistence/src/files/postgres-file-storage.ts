import type { FileContent, NewFile } from '@millrace/domain';
import type { Pool } from 'pg';
import { Readable } from 'node:stream';
import { plainArray } from '../postgres/packed-bytes';
import { piecesOf } from './content-pieces';
import { FileStorage, type ContentPlace, type KeptFile } from './file-storage';

const CHUNK_BYTES = 1024 * 1024;
/** A chunk is some hundred rows on disk, so a statement that deletes more chunks might meet its time limit. */
const CHUNKS_DELETED_AT_ONCE = 100;
const NOTHING = Buffer.alloc(0);

const PUT = `
  insert into file_chunk (file_id, seq, bytes) values ($1, $2, $3)
  on conflict (file_id, seq) do update set bytes = excluded.bytes`;

const GET = 'select bytes from file_chunk where file_id = $1 and seq = $2';

const REMOVE = `
  delete from file_chunk where (file_id, seq) in (
    select file_id, seq from file_chunk where file_id = any($1::uuid[]) limit ${CHUNKS_DELETED_AT_ONCE})`;

/**
 * Content in the database, in rows of a megabyte. Each statement carries one row, and none keeps a connection for long.
 */
export class PostgresFileStorage extends FileStorage {
  constructor(private readonly pool: Pool) {
    super();
  }

  async put({ id }: NewFile, content: FileContent): Promise<void> {
    let seq = 0;
    for await (const bytes of piecesOf(content, CHUNK_BYTES))
      await this.pool.query({ name: 'put-file-chunk', text: PUT, values: [id, seq++, bytes] });
  }

  async open({ id, bytes }: KeptFile): Promise<Readable | null> {
    const count = Math.ceil(bytes / CHUNK_BYTES);
    const first = count === 0 ? NOTHING : await this.chunk(id, 0);
    return first === null ? null : Readable.from(this.chunksFrom(id, first, count), { objectMode: false });
  }

  async remove(places: readonly ContentPlace[]): Promise<void> {
    const query = { name: 'remove-file-chunks', text: REMOVE, values: [plainArray(places.map(({ id }) => id))] };
    for (;;) {
      const { rowCount } = await this.pool.query(query);
      if ((rowCount ?? 0) < CHUNKS_DELETED_AT_ONCE) return;
    }
  }

  private async *chunksFrom(id: string, first: Buffer, count: number): AsyncGenerator<Buffer> {
    yield first;
    for (let seq = 1; seq < count; seq++) {
      const bytes = await this.chunk(id, seq);
      if (bytes === null) throw new Error(`The file ${id} was deleted while it was read.`);
      yield bytes;
    }
  }

  private async chunk(id: string, seq: number): Promise<Buffer | null> {
    const query = { name: 'get-file-chunk', text: GET, values: [id, seq] };
    return (await this.pool.query<{ bytes: Buffer }>(query)).rows[0]?.bytes ?? null;
  }
}
