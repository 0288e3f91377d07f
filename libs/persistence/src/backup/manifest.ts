import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BackupError } from './backup-error';
import type { BackedUpTable } from './backed-up-tables';

export const MANIFEST = 'manifest.json';
/** The end of the name of a folder until the backup in it is finished. */
export const UNFINISHED_FOLDER = '.unfinished';
/** The form of the folder. A restore refuses forms that it does not know. */
export const FORMAT = 1;

/** A file of the backup. */
export interface BackupPart {
  /** The path within the folder. */
  path: string;
  bytes: number;
  sha256: string;
}

export interface TablePart extends BackupPart, BackedUpTable {
  rows: number;
}

/** A data key as it is stored, in base64. It is in the table too; here it proves which encryption key opens it. */
export interface SampleKey {
  id: string;
  purpose: string;
  projectId: string | null;
  wrapped: string;
  wrappedBy: string;
}

/** The files whose content is in a bucket. */
export interface BucketFiles {
  /** `backup`: the content is in the backup. `bucket`: it was left where it is. */
  content: 'backup' | 'bucket';
  count: number;
  /** The list of the files, with the checksum of each; absent when their content was left in the bucket. */
  list?: BackupPart;
}

export interface Manifest {
  format: number;
  /** The version that made the backup. */
  release: string;
  /** The moment of the snapshot. */
  created: string;
  postgres: string;
  /** The names of the migrations that the database had, in order. */
  migrations: string[];
  tables: TablePart[];
  bucketFiles: BucketFiles;
  /** The fingerprints of the keys that wrapped data keys, by purpose. */
  keys: { purpose: string; wrappedBy: string }[];
  sampleKeys: SampleKey[];
  /** A copy of credentials.json, if it was asked for. */
  credentials?: BackupPart;
}

/** The manifest as text, with the checksum of itself. */
export const textOf = (manifest: Manifest): string =>
  `${JSON.stringify({ ...manifest, checksum: checksumOf(manifest) }, null, 2)}\n`;

/** The checksum of a manifest. No two backups have the same. */
export const checksumOf = (manifest: object): string =>
  createHash('sha256').update(JSON.stringify(manifest)).digest('hex');

/** Reads the manifest of a backup. Throws BackupError when there is none, when it is damaged, or of another format. */
export async function readManifest(folder: string): Promise<Manifest> {
  if (resolve(folder).endsWith(UNFINISHED_FOLDER))
    throw new BackupError(`${folder} is no backup: the command that made it did not finish. It can be deleted.`);
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch((cause: unknown) => {
    throw new BackupError(
      `${folder} is no backup: it has no ${MANIFEST}, which is written last. Name the folder that a backup has printed.`,
      { cause },
    );
  });
  const { checksum, ...manifest } = parsed(text, folder);
  if (typeof manifest.format === 'number' && manifest.format > FORMAT)
    throw new BackupError(`${folder} was made by a newer release (${manifest.release}): restore it with that one.`);
  if (checksum !== checksumOf(manifest))
    throw new BackupError(`The backup in ${folder} is damaged: ${MANIFEST} does not have its checksum.`);
  return manifest;
}

function parsed(text: string, folder: string): Manifest & { checksum?: unknown } {
  try {
    return JSON.parse(text) as Manifest & { checksum?: unknown };
  } catch (cause) {
    throw new BackupError(`The backup in ${folder} is damaged: ${MANIFEST} is not JSON.`, { cause });
  }
}

/** All files of the backup, except for the content of files of a bucket. */
export const partsOf = ({ tables, bucketFiles, credentials }: Manifest): BackupPart[] => [
  ...tables,
  ...(bucketFiles.list ? [bucketFiles.list] : []),
  ...(credentials ? [credentials] : []),
];
