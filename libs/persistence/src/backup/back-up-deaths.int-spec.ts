import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anId } from '@millrace/domain/testing';
import { CuttingProxy, type Cut } from '../testing/cutting-proxy';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { backUp, type BackupRequest } from './back-up';
import { BackupError } from './backup-error';
import { checkBackup } from './restore';

const ONE_SENTENCE = /^[^\n]+\(.+\): [^\n]+; see that PostgreSQL runs, and run the same command again\.$/;
const silent = (): void => undefined;

let folder: string;
let source: TestDatabase;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-backup-'));
  source = await createTestDatabase();
});
afterAll(async () => {
  await source.drop();
  rmSync(folder, { recursive: true, force: true });
});

const toBackup = (more: Partial<BackupRequest>): BackupRequest => ({
  databaseUrl: source.url,
  folder: join(folder, anId(), 'backup'),
  release: '0.1.0',
  bucket: null,
  say: silent,
  ...more,
});

/** Makes a backup whose PostgreSQL is gone at one statement. Returns the error. */
async function dying(request: BackupRequest, cut: Cut): Promise<unknown> {
  const proxy = new CuttingProxy(new URL(source.url), cut);
  const error: unknown = await backUp({ ...request, databaseUrl: await proxy.open() }).catch(
    (thrown: unknown) => thrown,
  );
  expect(proxy.isCut).toBe(true);
  await proxy.close();
  return error;
}

describe('a backup whose PostgreSQL dies', () => {
  it.each<[string, Cut]>([
    ['as the snapshot begins', { when: 'before', texts: ['repeatable read'] }],
    ['while it copies rows', { when: 'after', texts: ['copy (select'] }],
    ['before its last table', { when: 'before', texts: ['from public."trigger'] }],
  ])('%s says in one sentence that there is none, and leaves none', async (_, cut) => {
    const request = toBackup({});

    const error = await dying(request, cut);

    expect(error).toBeInstanceOf(BackupError);
    expect((error as BackupError).message).toMatch(ONE_SENTENCE);
    expect((error as BackupError).message).toContain('no backup was made');
    expect(readdirSync(join(request.folder, '..'))).toEqual([]);
  });

  it('before it began says that nothing was written', async () => {
    const nobody = 'postgres://nobody@127.0.0.1:1/nothing';

    await expect(backUp(toBackup({ databaseUrl: nobody }))).rejects.toThrow(/ECONNREFUSED.*Nothing was written/);
  });

  it('leaves a folder that no command takes for a backup, whatever is in it', async () => {
    const request = toBackup({});
    await backUp(request);
    const unfinished = `${request.folder}.1a2b3c4d.unfinished`;
    renameSync(request.folder, unfinished);

    const checked = checkBackup({ folder: unfinished, ring: undefined, bucket: null, say: silent });

    await expect(checked).rejects.toThrow('is no backup: the command that made it did not finish');
  });
});
