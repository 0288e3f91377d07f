// Restores a backup into an empty database.
//
// R1. Everything that can be refused is refused before anything is written.
// R2. From the first to the last statement the database has a mark on which apps of every release refuse to work
//     (restore-target.ts). All rows and the end of the mark are one transaction.
// R3. A restore that was killed is repeated with the same backup, wherever it died. It goes on where it can: when its rows
//     are in the database, it performs only the steps after them.
// R4. The credentials are in their place before the mark ends, so a restored database is never without them.

import type { Client } from 'pg';
import type { FileStorage } from '../files/file-storage';
import { ensurePartitionNamed } from '../postgres/run-partitions';
import { migrations as ofThisRelease } from '../migrations/migrations';
import { migrate } from '../schema/migrate';
import type { KeyRing } from '../secrets/key-ring';
import { columnsOf, inOrderOfReferences, nameOf } from './backed-up-tables';
import { BackupError } from './backup-error';
import { checkPart, readCompressed } from './backup-parts';
import { namingBucketFailure } from './bucket-failure';
import { checkBucketFiles, putBucketFiles } from './bucket-files';
import { insertRows } from './copy-rows';
import { namingDatabaseFailure } from './database-failure';
import { checkKeys } from './key-check';
import { placeCredentials } from './place-credentials';
import { partsOf, readManifest, type Manifest, type TablePart } from './manifest';
import { Progress } from './progress';
import { RestoreTarget } from './restore-target';

export interface RestoreRequest {
  databaseUrl: string;
  folder: string;
  /** The keys that the service will have; undefined when none is set. */
  ring: KeyRing | undefined;
  /** The bucket for the content of files; null when none is configured. */
  bucket: FileStorage | null;
  /** Where the credentials of the backup go, if nothing is there; undefined when they are not wanted. */
  credentials?: string | undefined;
  say: (line: string) => void;
}

/** Throws BackupError unless the backup is whole, and this release and these keys can restore it. Needs no database. */
export async function checkBackup(request: Omit<RestoreRequest, 'databaseUrl'>): Promise<Manifest> {
  const manifest = await readFitting(request);
  await checkChecksums(manifest, request);
  return manifest;
}

/**
 * Restores the backup. Throws BackupError, and has then written nothing, or left a database that no app accepts. When
 * only the last steps failed, the database is restored, and a repetition performs these steps.
 */
export async function restore(request: RestoreRequest): Promise<Manifest> {
  const manifest = await readFitting(request);
  const target = await namingDatabaseFailure(NOTHING, () => RestoreTarget.open(request.databaseUrl));
  try {
    await bringRows(target, manifest, request);
    await namingDatabaseFailure(RESTORED, () => target.analyze());
  } finally {
    await target.close();
  }
  await namingDatabaseFailure(RESTORED, () => bringToThisRelease(request));
  return manifest;
}

const NOTHING = 'nothing was written';
const UNFINISHED = 'what is in the database counts as an unfinished restore, with which no app works';
const RESTORED = 'the rows of the backup are restored, and only the last steps are missing';

/** The credentials are in their place before the mark ends: apps that then start would make others. */
async function bringRows(target: RestoreTarget, manifest: Manifest, request: RestoreRequest): Promise<void> {
  const isFilled = await namingDatabaseFailure(NOTHING, () => target.isFilledFrom(manifest));
  if (isFilled) request.say('The rows of this backup are in the database already. Its restore is being finished.');
  else {
    await checkChecksums(manifest, request);
    await namingDatabaseFailure(UNFINISHED, () => prepare(target, manifest, request));
    await putFiles(manifest, request);
  }
  await takeCredentials(manifest, request);
  if (!isFilled)
    await namingDatabaseFailure(UNFINISHED, () =>
      target.fill(manifest, (client) => insertTables(client, manifest, request)),
    );
}

async function prepare(target: RestoreTarget, manifest: Manifest, { say }: RestoreRequest): Promise<void> {
  await target.mark(say);
  say(`Making the schema of the release ${manifest.release}.`);
  await target.makeSchema(manifest.migrations);
  for (const name of manifest.tables.flatMap(({ partitions }) => partitions))
    await target.withPool((pool) => ensurePartitionNamed(pool, name));
}

async function putFiles({ bucketFiles }: Manifest, { folder, bucket, say }: RestoreRequest): Promise<void> {
  if (!bucketFiles.list || !bucket) return;
  say(`Putting ${bucketFiles.count} files into the bucket.`);
  const { list } = bucketFiles;
  await namingBucketFailure(UNFINISHED, () => putBucketFiles(folder, list, bucket));
}

async function takeCredentials(manifest: Manifest, { folder, credentials, say }: RestoreRequest): Promise<void> {
  if (credentials === undefined || !manifest.credentials) return;
  const isPlaced = await placeCredentials(folder, manifest.credentials, credentials);
  if (isPlaced) say(`The credentials of the backup are in ${credentials}.`);
}

async function bringToThisRelease({ databaseUrl, say }: RestoreRequest): Promise<void> {
  const later = await migrate(databaseUrl, { say });
  say(
    later.length === 0
      ? 'The schema is that of this release.'
      : `${later.length} later ${later.length === 1 ? 'migration' : 'migrations'} ran.`,
  );
}

/** Reads the manifest, and refuses what this release, these keys and this bucket cannot restore. */
async function readFitting({ folder, ring, bucket }: Omit<RestoreRequest, 'databaseUrl'>): Promise<Manifest> {
  const manifest = await readManifest(folder);
  const known = new Set(ofThisRelease.map(({ name }) => name));
  const unknown = manifest.migrations.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new BackupError(
      `The backup is of a newer release (${manifest.release}): this one does not know its migration ${unknown}. ` +
        'Restore it with that release, or a later one. Nothing was written.',
    );
  checkKeys(manifest, ring);
  if (manifest.bucketFiles.list && manifest.bucketFiles.count > 0 && !bucket)
    throw new BackupError(
      `The backup has ${manifest.bucketFiles.count} files of a bucket: set SVC_S3_BUCKET and its keys to a bucket for them. Nothing was written.`,
    );
  return manifest;
}

async function checkChecksums(manifest: Manifest, { folder, say }: Pick<RestoreRequest, 'folder' | 'say'>) {
  const parts = partsOf(manifest);
  say(`Checking the checksums of ${parts.length + manifest.bucketFiles.count} parts.`);
  const progress = new Progress(say, 'parts checked', parts.length);
  try {
    for (const part of parts) {
      await checkPart(folder, part);
      progress.add(1);
    }
    if (manifest.bucketFiles.list) await checkBucketFiles(folder, manifest.bucketFiles.list);
  } finally {
    progress.end();
  }
}

async function insertTables(client: Client, { tables }: Manifest, { folder, say }: RestoreRequest): Promise<void> {
  await refuseForeignTables(client, tables);
  await client.query(`truncate ${tables.map(nameOf).join(', ')}`); // migrations insert a few rows
  const total = tables.reduce((sum, { rows }) => sum + rows, 0);
  say(`Restoring ${total.toLocaleString('en')} rows of ${tables.length} tables.`);
  for (const table of await inOrderOfReferences(client, tables)) await insertTable(client, table, folder, say);
}

/** Throws BackupError when the backup has a table that no migration made. */
async function refuseForeignTables(client: Client, tables: readonly TablePart[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) name where to_regclass(name) is null',
    [tables.map((table) => nameOf(table))],
  );
  if (rows[0])
    throw new BackupError(
      `The backup has ${rows[0].name}, which no migration makes: the database that was backed up had tables of somebody else. ` +
        'Back it up without them, in a schema of their own, or make the table in this database and repeat the restore.',
    );
}

async function insertTable(client: Client, table: TablePart, folder: string, say: (line: string) => void) {
  const progress = new Progress(say, `table ${table.name} (${table.rows.toLocaleString('en')} rows), bytes`);
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of readCompressed(folder, table) as AsyncIterable<Buffer>) {
      progress.add(chunk.length);
      yield chunk;
    }
  }
  try {
    const rows = await insertRows(client, `copy ${nameOf(table)} (${columnsOf(table)}) from stdin`, counted());
    if (rows !== table.rows)
      throw new BackupError(
        `The table ${table.name} has ${rows} rows in place of ${table.rows}. Nothing was restored.`,
      );
  } finally {
    progress.end();
  }
}
