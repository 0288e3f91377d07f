import { EntityNotFoundError, NO_PROJECT, type FileContent, type NewFile } from '@millrace/domain';
import { aNewFile, anId, describeFileStore } from '@millrace/domain/testing';
import { Logger } from '@nestjs/common';
import { Pool } from 'pg';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openHotPool } from '../postgres/hot-pool';
import { S3Server } from '../testing/s3-server';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import type { FileStorage, StorageName } from './file-storage';
import { PostgresFileStorage } from './postgres-file-storage';
import { PostgresFileStore } from './postgres-file-store';
import { S3FileStorage } from './s3-file-storage';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MEGABYTE = 1024 * 1024;

let database: TestDatabase;
let pool: Pool;
let server: S3Server;
let s3: S3FileStorage;
let db: PostgresFileStorage;

beforeAll(async () => {
  [database, server] = await Promise.all([createTestDatabase(), S3Server.start()]);
  pool = openHotPool(database.url, 'file test');
  s3 = new S3FileStorage(server.settings);
  db = new PostgresFileStorage(pool);
});
beforeEach(() => jest.spyOn(Logger.prototype, 'warn').mockImplementation());
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await s3.close();
  await Promise.all([pool.end(), server.stop()]);
  await database.drop();
});

const storeIn = (chosen: StorageName, more: Partial<Record<StorageName, FileStorage>> = {}) =>
  new PostgresFileStore(pool, { chosen, byName: new Map(Object.entries({ DB: db, S3: s3, ...more }) as never) });

const rowsOf = async (ids: readonly string[]) =>
  (await pool.query<{ state: string }>('select state from file where id = any($1)', [ids])).rows;
const chunksOf = async (id: string) =>
  (await pool.query('select from file_chunk where file_id = $1', [id])).rowCount ?? 0;
/** Tells whether the storage holds any content of a file. */
const isKept: Record<StorageName, (file: NewFile) => Promise<boolean>> = {
  DB: async ({ id }) => (await chunksOf(id)) > 0,
  S3: ({ projectId, id }) => Promise.resolve(server.keys().includes(`${projectId}/${id}`)),
};
/** Returns how many bytes are held by buffers in use. */
const heldBytes = (): number => {
  // Memory that the first round finds unused may be freed only in the second.
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
};
const hello = [Buffer.from('hello')];
const anArchive = () => aNewFile({ type: 'PACKAGE_ARCHIVE', projectId: NO_PROJECT });
const inAnHour = () => new Date(Date.now() + 3_600_000);

describeFileStore('PostgresFileStore with content in the database', () => storeIn('DB'));
describeFileStore('PostgresFileStore with content in S3', () => storeIn('S3'));

describe.each<StorageName>(['DB', 'S3'])('PostgresFileStore with content in %s', (storage) => {
  const other = storage === 'DB' ? 'S3' : 'DB';
  const storages = () => ({ DB: db, S3: s3 })[storage];
  const failing = (more: Partial<FileStorage>): FileStorage =>
    Object.assign(Object.create(storages()) as FileStorage, more);

  it('leaves nothing of what it deletes', async () => {
    const file = aNewFile({ bytes: 5 });
    await storeIn(storage).write(file, hello);
    expect(await isKept[storage](file)).toBe(true);
    expect(await isKept[other](file)).toBe(false);

    await storeIn(storage).deleteFiles([file.id], 'any');

    expect(await isKept[storage](file)).toBe(false);
    expect(await rowsOf([file.id])).toEqual([]);
  });

  it('still has its files when another storage is chosen, and deletes them where they are', async () => {
    const [old, fresh] = [aNewFile(), aNewFile()];
    await storeIn(storage).write(old, hello);
    const changed = storeIn(other);
    await changed.write(fresh, hello);

    const { content } = await changed.open(old.id, 'any');

    expect((await content.toArray()).join('')).toBe('hello');
    expect(await changed.deleteFiles([old.id, fresh.id], 'any')).toBe(2);
    expect([await isKept[storage](old), await isKept[other](fresh)]).toEqual([false, false]);
  });

  it('finds what a write left behind that was cut short before its content was whole', async () => {
    const file = aNewFile();
    const dying = storeIn(storage, { [storage]: failing({ put: () => Promise.reject(new Error('killed')) }) });

    await expect(dying.write(file, hello)).rejects.toThrow('killed');

    expect(await rowsOf([file.id])).toEqual([{ state: 'WRITING' }]);
    expect(await storeIn(storage).removeLeftovers(new Date(Date.now() - 3_600_000))).toBe(0);
    expect(await storeIn(storage).removeLeftovers(inAnHour())).toBeGreaterThan(0);
    expect(await rowsOf([file.id])).toEqual([]);
  });

  it('finds what a write left behind that was cut short before it was complete', async () => {
    const file = aNewFile();
    const put = async (given: NewFile, content: FileContent) => {
      await storages().put(given, content);
      throw new Error('killed');
    };
    await expect(storeIn(storage, { [storage]: failing({ put }) }).write(file, hello)).rejects.toThrow('killed');
    expect(await isKept[storage](file)).toBe(true);
    expect(await storeIn(storage).find(file.id, 'any')).toBeNull();

    await storeIn(storage).removeLeftovers(inAnHour());

    expect(await isKept[storage](file)).toBe(false);
  });

  it('goes on with a write that was cut short, in the storage it was begun in', async () => {
    const file = aNewFile();
    const dying = storeIn(storage, { [storage]: failing({ put: () => Promise.reject(new Error('killed')) }) });
    await expect(dying.write(file, hello)).rejects.toThrow('killed');

    await storeIn(other).write(file, hello);

    expect([await isKept[storage](file), await isKept[other](file)]).toEqual([true, false]);
    expect(await storeIn(other).find(file.id, 'any')).not.toBeNull();
  });

  it.each(['before', 'after'])('finishes a deletion that was cut short %s the content went', async (moment) => {
    const file = aNewFile();
    await storeIn(storage).write(file, hello);
    const remove = async (places: readonly NewFile[]) => {
      if (moment === 'after') await storages().remove(places);
      throw new Error('killed');
    };
    const dying = storeIn(storage, { [storage]: failing({ remove }) });

    await expect(dying.deleteFiles([file.id], 'any')).rejects.toThrow('killed');

    expect(await storeIn(storage).find(file.id, 'any')).toBeNull();
    await expect(storeIn(storage).write(file, hello)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await storeIn(storage).removeLeftovers(inAnHour());
    expect(await isKept[storage](file)).toBe(false);
    expect(await rowsOf([file.id])).toEqual([]);
  });

  it('takes content away again whose row was given up meanwhile', async () => {
    const file = aNewFile();
    const put = async (given: NewFile, content: FileContent) => {
      await storeIn(storage).removeLeftovers(inAnHour());
      await storages().put(given, content);
    };
    const slow = storeIn(storage, { [storage]: failing({ put }) });

    await expect(slow.write(file, hello)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });

    expect(await isKept[storage](file)).toBe(false);
  });

  it('purges the files of runs that ended before, and of no others', async () => {
    const day = new Date('2021-03-01');
    const [ended, late, paused, running] = [anId(day), anId(day), anId(day), anId(day)];
    for (const [id, status, finishTime] of [
      [ended, 'FAILED', new Date('2021-03-01T23:00:00Z')],
      [late, 'FAILED', new Date('2021-03-02T01:00:00Z')],
      [paused, 'PAUSED', null],
      [running, 'RUNNING', null],
    ] as const)
      await pool.query(
        `insert into flow_run (id, project_id, flow_id, flow_version_id, status, environment, triggered_by,
           trigger_type, job_id, updated, finish_time)
         values ($1, $1, $1, $1, $2, 'PRODUCTION', 'webhook', 'WEBHOOK', $1, now(), $3)`,
        [id, status, finishTime],
      );
    const files = [ended, late, paused, running].map((runId) => aNewFile({ type: 'STEP_FILE', runId }));
    for (const file of files) await storeIn(storage).write(file, hello);

    expect(await storeIn(storage).purgeFilesOfRuns(new Date('2021-03-02'))).toBe(1);

    const kept = await Promise.all(files.map((file) => isKept[storage](file)));
    expect(kept).toEqual([false, true, true, true]);
  });

  it('purges the files of projects that are no more, and of no others', async () => {
    await storeIn(storage).purgeFilesOfDeletedProjects();
    const [userId, projectId] = [anId(), anId()];
    await pool.query(
      `insert into app_user (id, email, first_name, last_name, platform_role, password_hash, created)
       values ($1, $2, '', '', 'MEMBER', '', now())`,
      [userId, `${userId}@test`],
    );
    await pool.query(
      `insert into project (id, display_name, owner_id, created, updated) values ($1, 'x', $2, now(), now())`,
      [projectId, userId],
    );
    const gone = anId();
    const files = [projectId, gone, gone, anId()].map((of) => aNewFile({ projectId: of }));
    for (const file of files) await storeIn(storage).write(file, hello);

    expect(await storeIn(storage).purgeFilesOfDeletedProjects()).toBe(3);

    expect(await Promise.all(files.map((file) => isKept[storage](file)))).toEqual([true, false, false, false]);
    expect(await storeIn(storage).purgeFilesOfDeletedProjects()).toBe(0);
  });

  it('keeps archives of packages, which are of no project', async () => {
    const archive = anArchive();
    await storeIn(storage).write(archive, hello);

    await storeIn(storage).purgeFilesOfDeletedProjects();

    expect(await isKept[storage](archive)).toBe(true);
  });

  it('purges the archives that no package names, unless they are young', async () => {
    const [installed, sent, unnamed, young] = [anArchive(), anArchive(), anArchive(), anArchive()];
    const others = [aNewFile({ projectId: NO_PROJECT }), aNewFile({ type: 'PACKAGE_ARCHIVE' })];
    for (const file of [installed, sent, unnamed, young, ...others]) await storeIn(storage).write(file, hello);
    await pool.query(
      `insert into piece_package (id, name, version, state, archive_id, sent_archive_id)
       values ($1, 'a', $3, 'INSTALLED', $1, null), ($2, 'b', $3, 'WANTED', null, $2)`,
      [installed.id, sent.id, storage],
    );
    const old = [installed, sent, unnamed, ...others].map(({ id }) => id);
    await pool.query(`update file set created = created - interval '2 hours' where id = any($1)`, [old]);

    expect(await storeIn(storage).purgeUnnamedArchives(new Date(Date.now() - 3_600_000))).toBe(1);

    const kept = await Promise.all([installed, sent, unnamed, young, ...others].map(isKept[storage]));
    expect(kept).toEqual([true, true, false, true, true, true]);
  });

  it('takes in and gives out 30 MB without holding them', async () => {
    const file = aNewFile({ bytes: 30 * MEGABYTE });
    const before = heldBytes();
    let most = 0;
    const content = (function* () {
      for (let part = 0; part < 120; part++) {
        if (part % 30 === 29) most = Math.max(most, heldBytes() - before);
        yield Buffer.alloc(MEGABYTE / 4, part);
      }
    })();

    await storeIn(storage).write(file, content);
    let read = 0;
    for await (const part of (await storeIn(storage).open(file.id, 'any')).content) {
      if (Math.floor(read / (7 * MEGABYTE)) < Math.floor((read += (part as Buffer).length) / (7 * MEGABYTE)))
        most = Math.max(most, heldBytes() - before);
    }

    expect(read).toBe(file.bytes);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(15 * MEGABYTE);
  }, 60_000);

  it('breaks off when the file is deleted while it is read', async () => {
    const file = aNewFile({ bytes: 3 * MEGABYTE });
    await storeIn(storage).write(file, [Buffer.alloc(file.bytes, 1)]);
    const { content } = await storeIn(storage).open(file.id, 'any');

    await storeIn(storage).deleteFiles([file.id], 'any');

    // S3 sends an object to its end once it has begun.
    if (storage === 'DB') await expect(content.toArray()).rejects.toThrow('was deleted while it was read');
    else expect(Buffer.concat((await content.toArray()) as Buffer[]).length).toBe(file.bytes);
  });
});

describe('PostgresFileStore', () => {
  it('says that a storage is not set up, or away', async () => {
    const file = aNewFile();
    await storeIn('S3').write(file, hello);
    const without = new PostgresFileStore(pool, { chosen: 'DB', byName: new Map([['DB', db]]) });
    const nowhere = new S3FileStorage({ ...server.settings, endpoint: 'http://127.0.0.1:1' });

    await expect(without.open(file.id, 'any')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(storeIn('S3', { S3: nowhere }).open(file.id, 'any')).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'The file storage is away; try again later.',
    });
    await expect(
      storeIn('S3', { S3: nowhere }).write(aNewFile({ bytes: 9 * MEGABYTE }), [Buffer.alloc(9 * MEGABYTE)]),
    ).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await nowhere.close();
  });

  it('knows no file whose object is gone from the bucket', async () => {
    const file = aNewFile();
    await storeIn('S3').write(file, hello);

    await s3.remove([file]);

    await expect(storeIn('S3').open(file.id, 'any')).rejects.toThrow(EntityNotFoundError);
  });

  it('removes more files than one batch holds', async () => {
    const files = Array.from({ length: 130 }, () => aNewFile({ runId: anId(new Date('2019-01-01')) }));
    for (const file of files) await storeIn('DB').write(file, hello);

    expect(await storeIn('DB').purgeFilesOfRuns(new Date('2019-01-02'))).toBe(130);

    expect(await rowsOf(files.map(({ id }) => id))).toEqual([]);
  });

  it('stops reading when the reader goes away', async () => {
    const file = aNewFile({ bytes: 9 * MEGABYTE });
    await storeIn('DB').write(file, [Buffer.alloc(file.bytes)]);
    const query = jest.spyOn(pool, 'query');

    const { content } = await storeIn('DB').open(file.id, 'any');
    for await (const part of content) if ((part as Buffer).length > 0) break;

    expect(content.destroyed).toBe(true);
    expect(query.mock.calls.length).toBeLessThan(6);
  });
});
