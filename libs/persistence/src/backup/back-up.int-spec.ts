import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_PROJECT } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import { Client, Pool } from 'pg';
import { S3FileStorage } from '../files/s3-file-storage';
import { connectionPlace } from '../connections/sealed-value';
import { migrations } from '../migrations/migrations';
import { PostgresPiecePackages } from '../pieces/postgres-piece-packages';
import { migrate } from '../schema/migrate';
import { readSchemaFit } from '../schema/schema-fit';
import { DataKeys } from '../secrets/data-keys';
import { KeyRing } from '../secrets/key-ring';
import { PostgresDataKeyStore } from '../secrets/postgres-data-key-store';
import { SecretBox } from '../secrets/secret-box';
import { S3Server } from '../testing/s3-server';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { backUp, type BackupRequest } from './back-up';
import { BackupError } from './backup-error';
import { MANIFEST, readManifest, textOf } from './manifest';
import { checkBackup, restore, type RestoreRequest } from './restore';

const DAY_MS = 24 * 60 * 60 * 1000;
const key = randomBytes(32);
const ring = KeyRing.of({ encryptionKey: key });
const silent = (): void => undefined;

let folder: string;
let source: TestDatabase;
let pool: Pool;
let server: S3Server;
let bucket: S3FileStorage;
/** The backup that the tests of restores share. */
let backup: string;
/** What the tables held when it was made. */
let content: Record<string, string>;
const projectId = anId();
const connection = { id: anId(), projectId, externalId: 'crm' };
const oldRun = anId(new Date(Date.now() - 3 * DAY_MS));
const bucketFile = anId();
/** The archive of a package, which is of no project. */
const archive = anId();
const description = { odd: 'nul \0, lone \ud800, a\tline\n' };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-backup-'));
  backup = join(folder, 'shared');
  [source, server] = await Promise.all([createTestDatabase(), S3Server.start()]);
  pool = new Pool({ connectionString: source.url });
  bucket = new S3FileStorage(server.settings);
  await seed();
  await backUp(toBackup({ folder: backup }));
  content = await contentOf(pool);
});
afterAll(async () => {
  await bucket.close();
  await Promise.all([pool.end(), server.stop()]);
  await source.drop();
  rmSync(folder, { recursive: true, force: true });
});

const toBackup = (more: Partial<BackupRequest> = {}): BackupRequest => ({
  databaseUrl: source.url,
  folder: join(folder, anId()),
  release: '0.1.0',
  bucket,
  say: silent,
  ...more,
});
const toRestore = (more: Partial<RestoreRequest> & { databaseUrl: string }): RestoreRequest => ({
  folder: backup,
  ring,
  bucket,
  say: silent,
  ...more,
});
const boxOf = (db: Pool): SecretBox => new SecretBox(new DataKeys(new PostgresDataKeyStore(db), ring), ring);

/**
 * A project with a secret, the journal of an old run, names that COPY must escape, a file in the bucket, and a package
 * whose archive is there too.
 */
async function seed(): Promise<void> {
  const ownerId = anId();
  await pool.query(
    `insert into app_user (id, email, first_name, last_name, platform_role, password_hash, created)
     values ($1, 'ada@test', E'A\\\\d\\ta\\n', 'Ünïcøde 🚀', 'ADMIN', 'x', now())`,
    [ownerId],
  );
  await pool.query(
    `insert into project (id, display_name, owner_id, created, updated) values ($1, 'P', $2, now(), now())`,
    [projectId, ownerId],
  );
  const value = await boxOf(pool).seal('the secret', connectionPlace(connection));
  await pool.query('insert into file_chunk values ($1, 0, $2)', [connection.id, value]);
  await pool.query(`insert into run_segment values ($1, 0, $2)`, [oldRun, randomBytes(1_000_000)]);
  const file = {
    id: bucketFile,
    projectId,
    type: 'FILE' as const,
    name: 'f',
    contentType: 'text/csv',
    bytes: 5,
    runId: null,
  };
  await bucket.put(file, [Buffer.from('hello')]);
  await pool.query(
    `insert into file (id, project_id, type, name, content_type, bytes, storage, state, begun, created)
     values ($1, $2, 'FILE', 'f', 'text/csv', 5, 'S3', 'READY', now(), now())`,
    [bucketFile, projectId],
  );
  await bucket.put({ ...file, id: archive, projectId: NO_PROJECT, type: 'PACKAGE_ARCHIVE' }, [Buffer.from('hello')]);
  await pool.query(
    `insert into file (id, project_id, type, name, content_type, bytes, storage, state, begun, created)
     values ($1, $2, 'PACKAGE_ARCHIVE', 'a.tgz', 'application/gzip', 5, 'S3', 'READY', now(), now())`,
    [archive, NO_PROJECT],
  );
  await pool.query(
    `insert into piece_package (id, name, version, state, integrity, archive_id, bytes, description)
     values ($1, '@acme/shop', '1.0.0', 'INSTALLED', 'sha512-a', $1, 5, $2)`,
    [archive, JSON.stringify(description)],
  );
}

/** An empty database, and a pool of it. */
async function emptyDatabase(): Promise<{ url: string; pool: Pool; drop(): Promise<void> }> {
  const database = await createTestDatabase();
  const db = new Pool({ connectionString: database.url });
  await db.query('drop schema public cascade; create schema public');
  return {
    url: database.url,
    pool: db,
    drop: async () => {
      await db.end();
      await database.drop();
    },
  };
}

const tablesOf = async (db: Pool): Promise<number> =>
  (await db.query(`select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`))
    .rowCount ?? 0;

/** What is in each table, independent of the order of its rows. */
async function contentOf(db: Pool): Promise<Record<string, string>> {
  const { tables } = await readManifest(backup);
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows } = await db.query<{ hash: string }>(
      `select count(*) || ' ' || coalesce(sum(hashtextextended(row::text, 0)), 0) as hash from "${name}" row`,
    );
    found[name] = rows[0]?.hash ?? '';
  }
  return found;
}

describe('a backup', () => {
  it('restores every row, secret, file and partition, and a schema that fits this release', async () => {
    const target = await emptyDatabase();

    await restore(toRestore({ databaseUrl: target.url }));

    expect(await contentOf(target.pool)).toEqual(content);
    const sealed = await target.pool.query<{ bytes: Buffer }>('select bytes from file_chunk where file_id = $1', [
      connection.id,
    ]);
    expect(await boxOf(target.pool).open(sealed.rows[0]?.bytes ?? Buffer.alloc(0), connectionPlace(connection))).toBe(
      'the secret',
    );
    expect(await readSchemaFit(target.pool)).toEqual({ kind: 'fits' });
    await target.drop();
  });

  it('has the packages of pieces, with their archives', async () => {
    const target = await emptyDatabase();

    await restore(toRestore({ databaseUrl: target.url }));

    const packages = new PostgresPiecePackages(target.pool);
    expect(await packages.find([{ name: '@acme/shop', version: '1.0.0' }])).toEqual([
      expect.objectContaining({ archiveId: archive, integrity: 'sha512-a', description }),
    ]);
    expect(readFileSync(join(backup, 'files', NO_PROJECT, archive), 'utf8')).toBe('hello');
    await target.drop();
  });

  it('that is made while rows are written has either both rows of a transaction or none', async () => {
    const writers = new AbortController();
    const writing = Promise.all(
      [1, 2, 3, 4].map(async () => {
        while (!writers.signal.aborted) {
          const id = anId();
          await pool.query(
            `with file as (insert into file (id, project_id, type, name, content_type, bytes, storage, state, begun, created)
             values ($1, $2, 'FILE', 'n', 't', 1, 'DB', 'READY', now(), now()) returning id)
             insert into file_chunk select id, 0, $3 from file`,
            [id, projectId, randomBytes(20_000)],
          );
        }
      }),
    );
    await new Promise((resolve) => pool.once('release', resolve));
    const request = toBackup();
    await backUp(request);
    writers.abort();
    await writing;

    const target = await emptyDatabase();
    await restore(toRestore({ databaseUrl: target.url, folder: request.folder }));
    const { rows } = await target.pool.query<{ halves: number; files: number }>(
      `select count(*) filter (where file.id is null or chunk.file_id is null)::int as halves, count(*)::int as files
       from (select * from file where storage = 'DB') file
       full join (select * from file_chunk where file_id <> $1) chunk on chunk.file_id = file.id`,
      [connection.id],
    );
    expect(rows[0]?.halves).toBe(0);
    expect(rows[0]?.files).toBeGreaterThan(0);
    await target.drop();
  });

  it('can be read by its owner only, and holds the credentials only if asked to', async () => {
    const credentials = join(folder, 'credentials.json');
    writeFileSync(credentials, '{"encryptionKey":"k"}');
    const request = toBackup({ credentials });

    const made = await backUp(request);

    expect(statSync(request.folder).mode & 0o077).toBe(0);
    expect(statSync(join(request.folder, MANIFEST)).mode & 0o077).toBe(0);
    expect(readFileSync(join(request.folder, 'credentials.json'), 'utf8')).toBe('{"encryptionKey":"k"}');
    expect(made.credentials).toBeDefined();
    expect(readdirSync(backup)).not.toContain('credentials.json');
    expect(readFileSync(join(backup, MANIFEST), 'utf8')).not.toContain(key.toString('hex'));
  });

  it('that ends midway leaves no folder that could be taken for a backup', async () => {
    const request = toBackup({
      bucket: Object.assign(Object.create(bucket) as S3FileStorage, {
        open: () => Promise.reject(new Error('The bucket is away.')),
      }),
    });

    await expect(backUp(request)).rejects.toThrow('The bucket is away.');

    expect(existsSync(request.folder)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.endsWith('.unfinished'))).toEqual([]);
  });

  it('is whole when two are made into one folder at once, and the later one is refused', async () => {
    const request = toBackup();

    const ends = await Promise.allSettled([backUp(request), backUp(request)]);

    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(ends.find((end) => end.status === 'rejected')?.reason).toMatchObject({ name: BackupError.name });
    await expect(checkBackup({ folder: request.folder, ring, bucket, say: silent })).resolves.toBeDefined();
  });

  it('is not made without the bucket that has files, unless their content is to stay there', async () => {
    await expect(backUp(toBackup({ bucket: null }))).rejects.toThrow('SVC_S3_BUCKET');
    const request = toBackup({ bucket: 'left out' });

    const made = await backUp(request);

    expect(made.bucketFiles).toEqual({ content: 'bucket', count: 2 });
    expect(existsSync(join(request.folder, 'files'))).toBe(false);
  });

  it('is not made over another one', async () => {
    await expect(backUp(toBackup({ folder: backup }))).rejects.toThrow('exists already');
  });
});

describe('a restore', () => {
  let target: Awaited<ReturnType<typeof emptyDatabase>>;

  beforeAll(async () => {
    target = await emptyDatabase();
  });
  afterAll(() => target.drop());

  const refused = async (more: Partial<RestoreRequest>): Promise<string> => {
    const error: unknown = await restore(toRestore({ databaseUrl: target.url, ...more })).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(BackupError);
    expect(await tablesOf(target.pool)).toBe(0);
    return (error as BackupError).message;
  };
  /** A copy of the backup with a change of its manifest. */
  const changed = async (change: (manifest: Awaited<ReturnType<typeof readManifest>>) => void): Promise<string> => {
    const copy = join(folder, anId());
    cpSync(backup, copy, { recursive: true });
    const manifest = await readManifest(copy);
    change(manifest);
    writeFileSync(join(copy, MANIFEST), textOf(manifest));
    return copy;
  };

  it('with another encryption key is refused, with the fingerprints of both', async () => {
    const other = KeyRing.of({ encryptionKey: randomBytes(32) });

    const message = await refused({ ring: other });

    expect(message).toContain(`fingerprint ${other.presentFingerprint('secrets')}`);
    expect(message).toContain(`fingerprint ${ring.presentFingerprint('secrets')}`);
    expect(await refused({ ring: undefined })).toContain('set SVC_ENCRYPTION_KEY');
  });

  it('is refused when a data key does not open, although the fingerprint is right', async () => {
    const copy = await changed(({ sampleKeys }) => {
      for (const sample of sampleKeys) sample.wrapped = randomBytes(60).toString('base64');
    });

    expect(await refused({ folder: copy })).toContain('does not open');
  });

  it('of a damaged backup is refused, wherever the damage is', async () => {
    const copy = await changed(() => undefined);
    const file = join(copy, 'tables/run_segment.copy.gz');
    const bytes = readFileSync(file);
    bytes.writeUInt8(bytes.readUInt8(5_000) ^ 1, 5_000);
    writeFileSync(file, bytes);
    expect(await refused({ folder: copy })).toContain('tables/run_segment.copy.gz does not have its checksum');
    rmSync(file);
    expect(await refused({ folder: copy })).toContain('cannot be read');

    const manifest = readFileSync(join(backup, MANIFEST), 'utf8');
    writeFileSync(join(copy, MANIFEST), manifest.replace('"release": "0.1.0"', '"release": "0.1.1"'));
    expect(await refused({ folder: copy })).toContain('manifest.json does not have its checksum');
    writeFileSync(join(copy, MANIFEST), manifest.slice(0, 500));
    expect(await refused({ folder: copy })).toContain('is not JSON');
    rmSync(join(copy, MANIFEST));
    expect(await refused({ folder: copy })).toContain('is no backup');
  });

  it('of a file of the bucket that was changed is refused', async () => {
    const copy = await changed(() => undefined);
    writeFileSync(join(copy, 'files', projectId, bucketFile), 'jello');

    expect(await refused({ folder: copy })).toContain(`${bucketFile} does not have its checksum`);
  });

  it('of a newer release is refused, which is named', async () => {
    const copy = await changed((manifest) => {
      manifest.release = '9.9.9';
      manifest.migrations.push('Later1999999999999');
    });

    expect(await refused({ folder: copy })).toMatch(/newer release \(9\.9\.9\).*Later1999999999999/);
  });

  it('into a database that is not empty is refused', async () => {
    const full = await createTestDatabase();

    await expect(restore(toRestore({ databaseUrl: full.url }))).rejects.toThrow('The database is not empty');

    await full.drop();
  });

  it('beside another one into the same database is refused', async () => {
    const other = new Client({ connectionString: target.url });
    await other.connect();
    await other.query('select pg_advisory_lock(7203115004)');

    expect(await refused({})).toContain('Another process restores');

    await other.end();
  });

  it('can be tried without a database', async () => {
    expect((await checkBackup({ folder: backup, ring, bucket, say: silent })).release).toBe('0.1.0');
  });
});

describe('a restore that ends midway', () => {
  it('leaves a database that apps refuse and that is not backed up, and goes on when it is repeated', async () => {
    const target = await emptyDatabase();
    const broken = Object.assign(Object.create(bucket) as S3FileStorage, {
      put: () => Promise.reject(new Error('The bucket is full.')),
    });
    await expect(restore(toRestore({ databaseUrl: target.url, bucket: broken }))).rejects.toThrow(
      'The bucket is full.',
    );

    expect(await readSchemaFit(target.pool)).toMatchObject({ kind: 'ahead' });
    await expect(migrate(target.url)).rejects.toThrow('unfinished restore');
    await expect(backUp(toBackup({ databaseUrl: target.url }))).rejects.toThrow('unfinished restore');
    await restore(toRestore({ databaseUrl: target.url }));

    expect(await readSchemaFit(target.pool)).toEqual({ kind: 'fits' });
    expect(await contentOf(target.pool)).toEqual(content);
    await target.drop();
  });

  it('says which table of the backup is of somebody else', async () => {
    const foreign = await createTestDatabase();
    const db = new Pool({ connectionString: foreign.url });
    await db.query('create table of_somebody_else (id int)');
    await db.end();
    const request = toBackup({ databaseUrl: foreign.url, bucket: null });
    await backUp(request);
    const target = await emptyDatabase();

    const restored = restore(toRestore({ databaseUrl: target.url, folder: request.folder }));

    await expect(restored).rejects.toThrow('public."of_somebody_else", which no migration makes');
    await Promise.all([foreign.drop(), target.drop()]);
  });

  it('of a backup of an earlier release brings it to the schema of this one', async () => {
    const earlier = await emptyDatabase();
    const until = migrations.findIndex(({ name }) => name.startsWith('WorkerMachines'));
    await migrate(earlier.url, {
      migrations: migrations.slice(0, until),
      upTo: migrations[until - 1]?.name ?? '',
      say: silent,
    });
    const request = toBackup({ databaseUrl: earlier.url, bucket: null });
    await backUp(request);
    const target = await emptyDatabase();

    await restore(toRestore({ databaseUrl: target.url, folder: request.folder }));

    expect(await readSchemaFit(target.pool)).toEqual({ kind: 'fits' });
    expect((await target.pool.query('select from migration')).rowCount).toBe(migrations.length);
    await Promise.all([earlier.drop(), target.drop()]);
  });
});
