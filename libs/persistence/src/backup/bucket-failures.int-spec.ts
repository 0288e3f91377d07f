import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { anId } from '@millrace/domain/testing';
import { Client } from 'pg';
import { S3FileStorage, type S3Settings } from '../files/s3-file-storage';
import { S3Server } from '../testing/s3-server';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { backUp, type BackupRequest } from './back-up';
import { BackupError } from './backup-error';
import { restore } from './restore';

const ONE_SENTENCE =
  /^The bucket failed \([^\n]+\): [^\n]+SVC_S3_ENDPOINT, SVC_S3_BUCKET .* run the same command again\.$/;
const silent = (): void => undefined;
/** More files than are copied at once. */
const FILES = Array.from({ length: 20 }, () => anId());

let folder: string;
let source: TestDatabase;
let server: S3Server;
const projectId = anId();

beforeAll(async () => {
  Logger.overrideLogger(false);
  folder = mkdtempSync(join(tmpdir(), 'millrace-backup-'));
  [source, server] = await Promise.all([createTestDatabase(), S3Server.start()]);
  await seed();
});
afterAll(async () => {
  await server.stop();
  await source.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** A project with files in the bucket. */
async function seed(): Promise<void> {
  const client = new Client(source.url);
  await client.connect();
  await client.query(
    `with ada as (insert into app_user (id, email, first_name, last_name, platform_role, password_hash, created)
       values ($1, 'ada@test', 'Ada', 'Test', 'ADMIN', 'x', now()) returning id)
     insert into project (id, display_name, owner_id, created, updated) select $2, 'P', id, now(), now() from ada`,
    [anId(), projectId],
  );
  await client.query(
    `insert into file (id, project_id, type, name, content_type, bytes, storage, state, begun, created)
     select id, $2, 'FILE', 'f', 'text/csv', 5, 'S3', 'READY', now(), now() from unnest($1::uuid[]) id`,
    [FILES, projectId],
  );
  await client.end();
  const file = { projectId, type: 'FILE' as const, name: 'f', contentType: 'text/csv', bytes: 5, runId: null };
  await withBucket({}, async (bucket) => {
    for (const id of FILES) await bucket.put({ ...file, id }, [Buffer.from('hello')]);
  });
}

async function withBucket<T>(more: Partial<S3Settings>, work: (bucket: S3FileStorage) => Promise<T>): Promise<T> {
  const bucket = new S3FileStorage({ ...server.settings, ...more });
  return work(bucket).finally(() => bucket.close());
}

const toBackup = (bucket: S3FileStorage): BackupRequest => ({
  databaseUrl: source.url,
  folder: join(folder, anId(), 'backup'),
  release: '0.1.0',
  bucket,
  say: silent,
});

const messageOf = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(silent, (thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BackupError);
  return (error as BackupError).message;
};

/** A storage of another kind, and its address. */
async function serving(answer: RequestListener): Promise<{ endpoint: string; storage: Server }> {
  const storage = createServer(answer).listen(0, '127.0.0.1');
  await once(storage, 'listening');
  return { endpoint: `http://127.0.0.1:${(storage.address() as AddressInfo).port}`, storage };
}

const WRONG: [string, Partial<S3Settings>, RegExp][] = [
  ['that nobody answers for', { endpoint: 'http://127.0.0.1:1' }, /ECONNREFUSED/],
  ['of a host that does not exist', { endpoint: 'http://s3.invalid' }, /ENOTFOUND|EAI_AGAIN/],
  ['whose key is wrong', { accessKeyId: 'nobody' }, /InvalidAccessKeyId, status 403/],
  ['that does not exist', { bucket: 'absent' }, /NoSuchBucket, status 404/],
];

describe('a backup with a bucket', () => {
  it.each(WRONG)('%s says in one sentence that there is none, and leaves none', async (_, settings, reason) => {
    await withBucket(settings, async (bucket) => {
      const request = toBackup(bucket);

      const message = await messageOf(backUp(request));

      expect(message).toMatch(ONE_SENTENCE);
      expect(message).toMatch(reason);
      expect(message).toContain('no backup was made');
      expect(readdirSync(join(request.folder, '..'))).toEqual([]);
    });
  });

  it('whose contents break off says so too, and leaves none', async () => {
    const { endpoint, storage } = await serving((request, response) => {
      if (!request.url?.includes(FILES[4] as string)) return response.end('hello');
      response.writeHead(200, { 'content-length': '5' });
      return response.write('he', () => response.destroy());
    });
    await withBucket({ endpoint }, async (bucket) => {
      const request = toBackup(bucket);

      expect(await messageOf(backUp(request))).toMatch(ONE_SENTENCE);
      expect(readdirSync(join(request.folder, '..'))).toEqual([]);
    });
    storage.closeAllConnections();
    storage.close();
  });
});

describe('a restore with a bucket', () => {
  let backup: string;

  beforeAll(async () => {
    await withBucket({}, async (bucket) => {
      const request = toBackup(bucket);
      await backUp(request);
      backup = request.folder;
    });
  });

  it('whose key is wrong says so in one sentence, and ends with the right one', async () => {
    const target = await createTestDatabase();
    const client = new Client(target.url);
    await client.connect();
    await client.query('drop schema public cascade; create schema public');
    const restored = (bucket: S3FileStorage) =>
      restore({ databaseUrl: target.url, folder: backup, ring: undefined, bucket, say: silent });

    const message = await messageOf(withBucket({ accessKeyId: 'nobody' }, restored));
    await withBucket({}, restored);

    expect(message).toMatch(ONE_SENTENCE);
    expect(message).toContain('unfinished restore');
    expect((await client.query('select from file')).rowCount).toBe(FILES.length);
    await client.end();
    await target.drop();
  });
});

describe('a folder that cannot be made', () => {
  it('is told of in one sentence when a file is in its way', async () => {
    const file = join(folder, anId());
    writeFileSync(file, '');

    const made = withBucket({}, (bucket) => backUp({ ...toBackup(bucket), folder: join(file, 'backup') }));

    expect(await messageOf(made)).toMatch(/cannot be written \(ENOTDIR[^\n]+\)\. No backup was made\.$/);
  });
});
