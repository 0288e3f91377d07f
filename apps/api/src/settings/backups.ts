import { VERSION } from '@millrace/http';
import { Logger } from '@nestjs/common';
import {
  BackupError,
  backUp,
  checkBackup,
  fileSettings,
  fingerprintsOf,
  keyRing,
  openBucket,
  restore,
  sessionUrl,
  type Manifest,
} from '@millrace/persistence';
import { readBackupSettings, readFileSettings, readKeyIfSet } from './config';

const WITHOUT_FILES = '--without-files';
const CREDENTIALS = '--credentials=';
/** Of `npm run backup`, which knows where the credentials are. */
const WITH_CREDENTIALS = '--with-credentials';
const CHECK = '--check';

/** Performs `backup <folder> [--without-files] [--credentials=<file>]`, and says what it does. */
export const makeBackup = (args: readonly string[]): Promise<void> =>
  sayingWhatIsWrong(async () => {
    const folder = folderIn(args, [WITHOUT_FILES, CREDENTIALS]);
    const bucket = openBucket(fileSettings(readFileSettings()));
    const made = await backUp({
      databaseUrl: sessionUrl(readBackupSettings()),
      folder,
      release: VERSION,
      bucket: args.includes(WITHOUT_FILES) ? 'left out' : bucket,
      credentials: credentialsIn(args),
      say,
    }).finally(() => bucket?.close());
    say(`The backup is ${folder}: ${inShort(made)}.`);
    sayWhatIsMissing(made);
  });

/** Performs `restore <folder> [--check] [--credentials=<file>]`, and says what it does. */
export const restoreBackup = (args: readonly string[]): Promise<void> =>
  sayingWhatIsWrong(async () => {
    const folder = folderIn(args, [CHECK, CREDENTIALS]);
    const bucket = openBucket(fileSettings(readFileSettings()));
    const keys = readKeyIfSet();
    const request = { folder, ring: keys && keyRing(keys), bucket, credentials: credentialsIn(args), say };
    try {
      if (args.includes(CHECK))
        say(`The backup is whole, and this key opens it: ${inShort(await checkBackup(request))}.`);
      else say(`Restored: ${inShort(await restore({ ...request, databaseUrl: sessionUrl(readBackupSettings()) }))}.`);
    } finally {
      await bucket?.close();
    }
  });

/** The file that a backup reads, and that a restore makes. */
const credentialsIn = (args: readonly string[]): string | undefined =>
  args.find((arg) => arg.startsWith(CREDENTIALS))?.slice(CREDENTIALS.length);

function folderIn(args: readonly string[], options: readonly string[]): string {
  const unknown = args.find((arg) => arg.startsWith('-') && !options.some((option) => arg.startsWith(option)));
  if (unknown !== undefined)
    throw new BackupError(
      `There is no option ${unknown}: there are ${options.join(' and ')}<file>; npm run backup has ${WITH_CREDENTIALS}, too.`,
    );
  const [folder, ...others] = args.filter((arg) => !arg.startsWith('-'));
  if (folder === undefined || others.length > 0) throw new BackupError('Name one folder: that of the backup.');
  return folder;
}

function inShort({ created, release, tables, bucketFiles }: Manifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const megabytes = tables.reduce((sum, table) => sum + table.bytes, 0) / 1024 / 1024;
  const files = bucketFiles.list ? `, ${bucketFiles.count} files of the bucket` : '';
  return `of ${created}, release ${release}, ${rows} rows in ${megabytes.toFixed(1)} MB${files}`;
}

function sayWhatIsMissing(made: Manifest): void {
  if (made.credentials) say('The encryption key is in it: keep this folder as you keep the key.');
  const { content, count } = made.bucketFiles;
  if (content === 'bucket' && count > 0)
    say(`The content of ${count} files is left in the bucket: back that up by itself.`);
  const fingerprints = fingerprintsOf(made);
  if (!made.credentials && fingerprints.length > 0)
    say(
      `The encryption key is not in it. Keep the key with the fingerprint ${fingerprints.join(' and ')} elsewhere: without it the secrets cannot be opened.`,
    );
}

/** What a person can mend is said in one line, and ends the process with 1. */
async function sayingWhatIsWrong(work: () => Promise<void>): Promise<void> {
  Logger.overrideLogger(['error', 'fatal']); // a failure of the storage is said once, and not for each file too
  try {
    await work();
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
