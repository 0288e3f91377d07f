import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { ServiceUnavailableError, type NewFile } from '@millrace/domain';
import type { Client } from 'pg';
import { NIL } from 'uuid';
import type { FileStorage } from '../files/file-storage';
import { checkPart, readCompressed, writeCompressed, writePart } from './backup-parts';
import type { BackupPart, BucketFiles } from './manifest';

// The content of files in a bucket. The rows are of the snapshot, and the content is read after it. That is consistent:
// a row is READY only after its content was written, and content never changes. What has been deleted meanwhile is left
// out; the restored row then has no content, as if the file had been deleted just now.

const FOLDER = 'files';
const LIST = `${FOLDER}/list.jsonl.gz`;
const WANTED = `${FOLDER}/wanted.jsonl`;
const PAGE = 1_000;
const AT_ONCE = 8;

type BucketFile = Pick<NewFile, 'id' | 'projectId' | 'type' | 'name' | 'contentType' | 'bytes' | 'runId'>;
type CopiedFile = BucketFile & { part: BackupPart };

const PAGE_OF_FILES = `
  select id, project_id as "projectId", type, name, content_type as "contentType", bytes::float8 as bytes, run_id as "runId"
  from file where storage = 'S3' and state = 'READY' and id > $1 order by id limit ${PAGE}`;

/** Counts the files of the bucket, in the snapshot of the client. */
export async function countBucketFiles(client: Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from file where storage = 'S3' and state = 'READY'`,
  );
  return rows[0]?.count ?? 0;
}

/** Notes in the folder which files the snapshot has. `copyBucketFiles` reads the note. */
export async function noteBucketFiles(client: Client, folder: string): Promise<void> {
  async function* lines(): AsyncGenerator<string> {
    for (let after: string = NIL; ;) {
      const { rows } = await client.query<BucketFile>(PAGE_OF_FILES, [after]);
      for (const row of rows) yield `${JSON.stringify(row)}\n`;
      if (rows.length < PAGE) return;
      after = rows.at(-1)?.id ?? NIL;
    }
  }
  await writePart(folder, WANTED, Readable.from(lines(), { objectMode: false }));
}

/** Copies the content of the noted files into the folder. */
export async function copyBucketFiles(
  folder: string,
  bucket: FileStorage,
  onFile: (file: BucketFile, isThere: boolean) => void,
): Promise<BucketFiles> {
  let count = 0;
  async function* copied(): AsyncGenerator<string> {
    for await (const files of batchesOf<BucketFile>(createReadStream(join(folder, WANTED)))) {
      const parts = await allEnded(files.map((file) => copyOne(folder, bucket, file)));
      for (const [index, file] of files.entries()) {
        const part = parts[index];
        onFile(file, Boolean(part));
        if (!part) continue;
        count++;
        yield `${JSON.stringify({ ...file, part } satisfies CopiedFile)}\n`;
      }
    }
  }
  const list = await writeCompressed(folder, LIST, Readable.from(copied(), { objectMode: false }));
  await rm(join(folder, WANTED));
  return { content: 'backup', count, list };
}

async function copyOne(folder: string, bucket: FileStorage, file: BucketFile): Promise<BackupPart | undefined> {
  const content = await bucket.open(file);
  if (!content) return undefined;
  content.on('error', () => undefined); // who reads the content gets it, also when it comes before
  return writePart(folder, pathOf(file), Readable.from(wholeOf(content), { objectMode: false }));
}

/** Throws ServiceUnavailableError when the content breaks off. */
async function* wholeOf(content: Readable): AsyncGenerator<Buffer> {
  try {
    yield* content as AsyncIterable<Buffer>;
  } catch (cause) {
    throw new ServiceUnavailableError('The content of a file broke off; try again later.', 5, { cause });
  }
}

/** Waits for all, also when one fails: what is still being written cannot be deleted. Then it throws the first failure. */
async function allEnded<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** Throws BackupError when the content of a file is not what was written. */
export async function checkBucketFiles(folder: string, list: BackupPart): Promise<void> {
  for await (const files of copiedFiles(folder, list))
    await Promise.all(files.map(({ part }) => checkPart(folder, part)));
}

/** Puts the files into the bucket. It may be repeated. */
export async function putBucketFiles(folder: string, list: BackupPart, bucket: FileStorage): Promise<void> {
  for await (const files of copiedFiles(folder, list))
    await allEnded(
      files.map(({ part, ...file }) =>
        bucket.put(file, createReadStream(join(folder, part.path)) as AsyncIterable<Buffer>),
      ),
    );
}

const copiedFiles = (folder: string, list: BackupPart): AsyncGenerator<CopiedFile[]> =>
  batchesOf<CopiedFile>(readCompressed(folder, list));

/** The values of lines of JSON, some at a time. */
async function* batchesOf<Value>(source: Readable): AsyncGenerator<Value[]> {
  let batch: Value[] = [];
  for await (const line of createInterface({ input: source, crlfDelay: Infinity })) {
    batch.push(JSON.parse(line) as Value);
    if (batch.length < AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const pathOf = ({ projectId, id }: BucketFile): string => `${FOLDER}/${projectId}/${id}`;
