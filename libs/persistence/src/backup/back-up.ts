// Makes a backup while the service runs.
//
// B1. All tables are read in one snapshot, so the backup is the database at one moment.
// B2. The content of files is read after the snapshot; it was written before its row (bucket-files.ts).
// B3. The manifest is written last, and then the folder gets its name. A folder without one is no backup.

import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { Client } from 'pg';
import type { FileStorage } from '../files/file-storage';
import { connectionOptions } from '../postgres/connection-options';
import { recordedMigrations, UNFINISHED_RESTORE } from '../schema/schema-fit';
import { columnsOf, nameOf, prepareForCopies, readTables, type BackedUpTable } from './backed-up-tables';
import { BackupError } from './backup-error';
import { namingBucketFailure } from './bucket-failure';
import { isThere, syncFolder, syncFolders, writeCompressed, writePart } from './backup-parts';
import { copyBucketFiles, countBucketFiles, noteBucketFiles } from './bucket-files';
import { rowsOf } from './copy-rows';
import { connectTo, namingDatabaseFailure } from './database-failure';
import { readKeys } from './key-check';
import { FORMAT, MANIFEST, textOf, UNFINISHED_FOLDER, type Manifest, type TablePart } from './manifest';
import { Progress } from './progress';

export interface BackupRequest {
  databaseUrl: string;
  /** The folder to make. */
  folder: string;
  /** The version that makes the backup. */
  release: string;
  /** The bucket with the content of files; null when none is configured; 'left out' to leave the content there. */
  bucket: FileStorage | null | 'left out';
  /** A file with the credentials of the installation, to be put into the backup. */
  credentials?: string | undefined;
  say: (line: string) => void;
}

/** Makes a backup. Throws BackupError. */
export async function backUp(request: BackupRequest): Promise<Manifest> {
  const { folder } = request;
  // The name is of this process alone: a backup that was thought to be killed may still write into its own.
  const unfinished = `${folder}.${randomUUID().slice(0, 8)}${UNFINISHED_FOLDER}`;
  try {
    if (await isThere(folder)) throw new BackupError(`${folder} exists already: a backup is made into a new folder.`);
    await mkdir(unfinished, { recursive: true, mode: 0o700 });
    const manifest = await fill(unfinished, request);
    await writePart(unfinished, MANIFEST, Readable.from([textOf(manifest)], { objectMode: false }));
    await syncFolders(unfinished);
    await rename(unfinished, folder);
    await syncFolder(dirname(folder));
    return manifest;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true }).catch(() => undefined);
    throw explained(error, folder);
  }
}

const NONE = 'no backup was made, and what was written of it is deleted';

async function fill(folder: string, request: BackupRequest): Promise<Manifest> {
  const { bucket, credentials, say } = request;
  const manifest = await namingDatabaseFailure(NONE, () =>
    inSnapshot(request.databaseUrl, (client, tables) => readAll(client, tables, folder, request)),
  );
  const { count } = manifest.bucketFiles;
  if (count > 0 && bucket !== null && bucket !== 'left out') {
    const progress = new Progress(say, 'files of the bucket', count);
    const onFile = ({ id }: { id: string }, hasContent: boolean): void => {
      progress.add(1);
      if (!hasContent) say(`The file ${id} has no content any more; it is left out.`);
    };
    const copied = namingBucketFailure(NONE, () => copyBucketFiles(folder, bucket, onFile));
    manifest.bucketFiles = await copied.finally(() => progress.end());
  }
  if (credentials !== undefined)
    manifest.credentials = await writePart(folder, 'credentials.json', createReadStream(credentials));
  return manifest;
}

/**
 * Locks the tables against changes of their form, and begins the snapshot only then: otherwise the rows of a partition
 * that is dropped in between would be in no table.
 */
async function inSnapshot<T>(
  databaseUrl: string,
  work: (client: Client, tables: BackedUpTable[]) => Promise<T>,
): Promise<T> {
  const client = new Client(connectionOptions(databaseUrl, 'millrace backup'));
  await connectTo(client);
  try {
    await prepareForCopies(client);
    for (;;) {
      const tables = await readTables(client);
      if (tables.length === 0) throw new BackupError('The database has no tables: there is nothing to back up.');
      await client.query('begin isolation level repeatable read, read only');
      await client.query(`lock table ${tables.map(nameOf).join(', ')} in access share mode`);
      if (JSON.stringify(await readTables(client)) === JSON.stringify(tables)) return await work(client, tables);
      await client.query('rollback'); // the tables changed just before they were locked
    }
  } finally {
    await client.end();
  }
}

async function readAll(
  client: Client,
  tables: BackedUpTable[],
  folder: string,
  { release, bucket, say }: BackupRequest,
): Promise<Manifest> {
  const { created, postgres } = await readMoment(client);
  const migrations = (await recordedMigrations(client)).map(({ name }) => name);
  if (migrations.includes(UNFINISHED_RESTORE))
    throw new BackupError('The database holds an unfinished restore: finish it by `npm run restore` first.');
  const count = await countBucketFiles(client);
  if (count > 0 && bucket === null)
    throw new BackupError(
      `${count} files are in a bucket: set SVC_S3_BUCKET and its keys as the service has them, or leave their content there with --without-files.`,
    );
  const keys = await readKeys(client);
  if (count > 0 && bucket !== 'left out') await noteBucketFiles(client, folder);
  const parts = await copyTables(client, tables, folder, say);
  const bucketFiles = { content: 'bucket' as const, count };
  return { format: FORMAT, release, created, postgres, migrations, tables: parts, bucketFiles, ...keys };
}

async function readMoment(client: Client): Promise<{ created: string; postgres: string }> {
  const { rows } = await client.query<{ created: Date; postgres: string }>(
    `select now() as created, current_setting('server_version') as postgres`,
  );
  if (!rows[0]) throw new Error('The database did not tell its time.');
  return { created: rows[0].created.toISOString(), postgres: rows[0].postgres };
}

async function copyTables(
  client: Client,
  tables: BackedUpTable[],
  folder: string,
  say: (line: string) => void,
): Promise<TablePart[]> {
  const parts: TablePart[] = [];
  for (const [index, table] of tables.entries()) {
    const progress = new Progress(say, `table ${index + 1} of ${tables.length} (${table.name}), bytes`);
    const statement = `copy (select ${columnsOf(table)} from ${nameOf(table)}) to stdout`;
    const rows = rowsOf(client, statement, (bytes) => progress.add(bytes));
    const part = await writeCompressed(folder, `tables/${table.name}.copy.gz`, rows).finally(() => progress.end());
    parts.push({ ...table, ...part, rows: rows.rowCount });
  }
  return parts;
}

const CANNOT_WRITE: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);

function explained(error: unknown, folder: string): unknown {
  const { code, message } = error as { code?: unknown; message?: string };
  if (code === 'ENOTEMPTY' || code === 'EEXIST')
    return new BackupError(`${folder} was made by another backup meanwhile. This one was dropped.`, { cause: error });
  if (code === 'ENOSPC') return new BackupError(`The disk that holds ${folder} is full. No backup was made.`);
  if (typeof code === 'string' && CANNOT_WRITE.has(code))
    return new BackupError(`${folder} cannot be written (${message}). No backup was made.`, { cause: error });
  return error;
}
