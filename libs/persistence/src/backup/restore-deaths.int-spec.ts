import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anId } from '@millrace/domain/testing';
import { Pool } from 'pg';
import { readSchemaFit } from '../schema/schema-fit';
import { CuttingProxy, type Cut } from '../testing/cutting-proxy';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { backUp } from './back-up';
import { BackupError } from './backup-error';
import { restore, type RestoreRequest } from './restore';

const CREDENTIALS = '{"encryptionKey":"k"}';
const ONE_SENTENCE = /^[^\n]+\(.+\): [^\n]+; see that PostgreSQL runs, and run the same command again\.$/;
const silent = (): void => undefined;

let folder: string;
let source: TestDatabase;
let backup: string;
let target: TestDatabase;
let pool: Pool;
let place: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-restore-'));
  backup = join(folder, 'backup');
  source = await createTestDatabase();
  const db = new Pool({ connectionString: source.url });
  await db.query(
    `with ada as (insert into app_user (id, email, first_name, last_name, platform_role, password_hash, created)
       values ($1, 'ada@test', 'Ada', 'Test', 'ADMIN', 'x', now()) returning id)
     insert into project (id, display_name, owner_id, created, updated) select $2, 'P', id, now(), now() from ada`,
    [anId(), anId()],
  );
  await db.query('insert into run_segment values ($1, 0, $2)', [anId(), randomBytes(1_000_000)]);
  await db.end();
  const credentials = join(folder, 'credentials.json');
  writeFileSync(credentials, CREDENTIALS);
  await backUp(toBackup({ folder: backup, credentials }));
});
afterAll(async () => {
  await source.drop();
  rmSync(folder, { recursive: true, force: true });
});
/** An empty database, and a place for credentials in an empty folder. */
async function makeTarget(): Promise<void> {
  target = await createTestDatabase();
  pool = new Pool({ connectionString: target.url });
  await pool.query('drop schema public cascade; create schema public');
  place = join(folder, anId(), 'credentials.json');
  mkdirSync(join(place, '..'));
}
async function dropTarget(): Promise<void> {
  await pool.end();
  await target.drop();
}

const toBackup = (more: Partial<Parameters<typeof backUp>[0]>) => ({
  databaseUrl: source.url,
  folder: join(folder, anId()),
  release: '0.1.0',
  bucket: null,
  say: silent,
  ...more,
});
const toRestore = (more: Partial<RestoreRequest> = {}): RestoreRequest => ({
  databaseUrl: target.url,
  folder: backup,
  ring: undefined,
  bucket: null,
  credentials: place,
  say: silent,
  ...more,
});
const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => error,
  );
/** Performs `work` with an address of the database at which it dies. Returns the error. */
async function dying(databaseUrl: string, cut: Cut, work: (url: string) => Promise<unknown>): Promise<unknown> {
  const proxy = new CuttingProxy(new URL(databaseUrl), cut);
  const error = await errorOf(work(await proxy.open()));
  expect(proxy.isCut).toBe(true);
  await proxy.close();
  return error;
}

const expectRestored = async (): Promise<void> => {
  expect(await readSchemaFit(pool)).toEqual({ kind: 'fits' });
  const { rows } = await pool.query('select octet_length(records)::int as bytes from run_segment');
  expect(rows).toEqual([{ bytes: 1_000_000 }]);
  expect((await pool.query('select from project')).rowCount).toBe(1);
  expect(readFileSync(place, 'utf8')).toBe(CREDENTIALS);
  expect(readdirSync(join(place, '..'))).toEqual(['credentials.json']);
};

const FILLED = 'comment on table migration';
const POINTS: [string, Cut][] = [
  ['as it is about to mark the database', { when: 'before', texts: ['create table migration'] }],
  ['as it marks the database', { when: 'after', texts: ['values (0, $1, $1)'] }],
  ['while it makes the schema', { when: 'after', texts: ['create table run_segment'] }],
  ['while it inserts rows', { when: 'before', texts: ['copy public."run_segment"'] }],
  ['as it ends the mark', { when: 'after', texts: ['delete from migration'] }],
  ['as it is about to commit', { when: 'before', texts: [FILLED, 'commit'] }],
  ['just after the commit', { when: 'after', texts: [FILLED, 'commit'] }],
  ['as it is about to tell the planner', { when: 'before', texts: [FILLED, 'analyze'] }],
  ['as it is about to migrate', { when: 'before', texts: [FILLED, 'analyze', 'pg_try_advisory_lock'] }],
];

describe('a restore that dies', () => {
  beforeEach(makeTarget);
  afterEach(dropTarget);

  it.each(POINTS)('%s is finished by the same command, and says so in one sentence', async (_, cut) => {
    const error = await dying(target.url, cut, (databaseUrl) => restore(toRestore({ databaseUrl })));

    expect(error).toBeInstanceOf(BackupError);
    expect((error as BackupError).message).toMatch(ONE_SENTENCE);
    const fit = await readSchemaFit(pool);
    expect(fit.kind === 'fits' && !existsSync(place)).toBe(false);
    await restore(toRestore());
    await expectRestored();
  });

  it('while it writes the credentials leaves no part of them in their place', async () => {
    writeFileSync(`${place}.restored`, CREDENTIALS.slice(0, 5));

    await restore(toRestore());

    await expectRestored();
  });
});

describe('a restore without its database', () => {
  it('says that nothing was written', async () => {
    const databaseUrl = 'postgres://nobody@127.0.0.1:1/nothing';

    await expect(restore(toRestore({ databaseUrl, credentials: undefined }))).rejects.toThrow(
      /ECONNREFUSED.*Nothing was written/,
    );
  });
});

describe('a database that was restored', () => {
  beforeAll(async () => {
    await makeTarget();
    await restore(toRestore());
  });
  afterAll(dropTarget);

  it('is as it should be after the same command once more, which writes no row again', async () => {
    const said: string[] = [];

    await restore(toRestore({ say: (line) => said.push(line) }));

    expect(said.join('\n')).toContain('are in the database already');
    expect(said.join('\n')).not.toContain('Restoring');
    await expectRestored();
  });

  it('keeps the credentials that were there before', async () => {
    const mine = join(folder, 'mine.json');
    writeFileSync(mine, '{"encryptionKey":"mine"}');

    await restore(toRestore({ credentials: mine }));

    expect(readFileSync(mine, 'utf8')).toContain('mine');
  });

  it('is not empty for another backup', async () => {
    const other = toBackup({});
    await backUp(other);

    await expect(restore(toRestore({ folder: other.folder }))).rejects.toThrow('The database is not empty');
  });

  it('and has been in use since is not touched by the same command', async () => {
    await pool.query('update leader_lease set holder = $1', [anId()]);

    await expect(restore(toRestore())).rejects.toThrow('has been in use since');
  });
});
