import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { usePostgres } from './embedded-postgres.mjs';
import { isRoot } from './postgres/account.mjs';
import { isAlive, waitUntil } from './running-processes.mjs';

async function ask(url, question) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(question);
    return rows[0] && Object.values(rows[0])[0];
  } finally {
    await client.end();
  }
}

/** Starts another program that uses the same server until the test ends it. */
async function otherUser(folder) {
  const source = `const { usePostgres } = await import('./tools/embedded-postgres.mjs');
    const postgres = await usePostgres({ folder: process.argv[1], durable: false });
    process.on('message', async () => { process.send(await postgres.stop()); process.exit(); });
    process.send('joined');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source, folder], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}

const pidOf = (folder) => Number(readFileSync(join(folder, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]);

describe('usePostgres', () => {
  let home;
  let folder;
  const start = (more = {}) => usePostgres({ folder, durable: false, ...more });

  before(() => {
    home = mkdtempSync(join(tmpdir(), 'millrace tools '));
    chmodSync(home, 0o711); // the database's own account passes through
    folder = join(home, 'postgres');
  });

  after(() => rmSync(home, { recursive: true, force: true }));

  it('makes a cluster, keeps its data over a restart, and leaves no process behind', async () => {
    const first = await start();
    await ask(first.url, 'create table kept as select 42 as answer');
    assert.equal(await first.stop(), 'stopped');
    assert.equal(isAlive(first.pid()), false);

    const second = await start();
    assert.equal(second.made, false);
    assert.equal(await ask(second.url, 'select answer from kept'), 42);
    await second.stop();
  });

  it('keeps a durable server durable', async () => {
    const postgres = await start({ durable: true });

    assert.equal(await ask(postgres.url, 'show fsync'), 'on');
    assert.equal(await ask(postgres.url, 'show synchronous_commit'), 'on');
    await postgres.stop();
  });

  it('is reached by a socket of its own too, which only its account may use', async () => {
    const postgres = await start();
    const withoutPassword = postgres.localUrl.replace(/:[0-9a-f]+@/, '@');

    assert.equal(await ask(postgres.localUrl, 'select inet_server_addr() is null'), true);
    assert.equal(statSync(join(postgres.folder, 'sockets')).mode & 0o777, 0o700);
    await assert.rejects(ask(withoutPassword, 'select 1'), /password/);
    await postgres.stop();
  });

  it('is reached by its port alone where a path is too long for a socket', async () => {
    const long = join(home, 'x'.repeat(100));
    const postgres = await usePostgres({ folder: long, durable: false });

    assert.equal(postgres.localUrl, postgres.url);
    assert.equal(await ask(postgres.localUrl, 'select 42'), 42);
    await postgres.stop();
  });

  it('asks for a password, and keeps it from other accounts', async () => {
    const postgres = await start();
    const withoutPassword = postgres.url.replace(/:[0-9a-f]+@/, '@');

    await assert.rejects(ask(withoutPassword, 'select 1'), /password/);
    assert.equal(statSync(join(postgres.folder, 'password')).mode & 0o777, 0o600);
    await postgres.stop();
  });

  it('joins a live server, which the last user stops', async () => {
    const other = await otherUser(folder);

    const mine = await start();
    assert.equal(mine.joined, true);
    other.send('leave');
    assert.deepEqual(await once(other, 'message').then(([answer]) => answer), 'still used');
    assert.equal(await mine.stop(), 'stopped');
  });

  it('does not wait for a user that was killed', async () => {
    const other = await otherUser(folder);
    other.kill('SIGKILL');
    await once(other, 'exit');

    const mine = await start();

    assert.equal(mine.joined, true);
    assert.equal(await mine.stop(), 'stopped');
  });

  it('brings a killed server back on its port, and tells that it is another process', async (test) => {
    const restarts = [];
    const postgres = await start({ onRestart: () => restarts.push(postgres.pid()) });
    const stay = setInterval(() => undefined, 1_000);
    test.after(() => clearInterval(stay));
    const killed = postgres.pid();

    process.kill(killed, 'SIGKILL');

    assert.ok(await waitUntil(() => postgres.pid() !== killed, 20_000));
    assert.deepEqual(restarts, [postgres.pid()]);
    assert.equal(await ask(postgres.url, 'select 1'), 1);
    await postgres.stop();
  });

  it('stops a frozen server as quickly as any other, with all its data', async () => {
    const frozen = await start();
    await ask(frozen.url, 'create table frozen as select 42 as answer');
    process.kill(frozen.pid(), 'SIGSTOP');
    const from = performance.now();

    assert.equal(await frozen.stop(), 'stopped');

    assert.ok(performance.now() - from < 10_000, 'it was stopped before the harder ways');
    assert.equal(isAlive(frozen.pid()), false);
    const next = await start();
    assert.equal(await ask(next.url, 'select answer from frozen'), 42);
    await next.stop();
  });

  it('says in one sentence that a frozen server does not answer which others use', async (test) => {
    const other = await otherUser(folder);
    const pid = pidOf(folder);
    test.after(() => other.kill('SIGKILL'));
    process.kill(pid, 'SIGSTOP');

    const joining = start({ patienceMs: 300 });

    await assert.rejects(joining, {
      message: new RegExp(
        `process ${pid}.* does not answer .*timeout expired.*another process uses it.*kill -CONT ${pid}`,
      ),
      exitCode: 1,
    });
    process.kill(pid, 'SIGCONT');
    other.send('leave');
    assert.deepEqual(await once(other, 'message').then(([answer]) => answer), 'stopped');
  });

  it('stops a frozen server that nobody uses any more, and says so in one sentence', async () => {
    const other = await otherUser(folder);
    const pid = pidOf(folder);
    process.kill(pid, 'SIGSTOP');
    other.kill('SIGKILL');
    await once(other, 'exit');

    await assert.rejects(start({ patienceMs: 300 }), {
      message: /does not answer .*so it was stopped: run the command/,
    });

    assert.equal(isAlive(pid), false);
    const next = await start();
    assert.equal(next.joined, false);
    await next.stop();
  });

  it('is not misled by a pid file whose number another program has now', async () => {
    const file = join(folder, 'cluster', 'postmaster.pid');
    writeFileSync(file, `${process.pid}\n${folder}/cluster\n1\n5432\n\n127.0.0.1\n1 1\nready\n`);
    const { uid, gid } = statSync(join(folder, 'cluster'));
    chownSync(file, uid, gid);

    const postgres = await start();

    assert.equal(postgres.joined, false);
    assert.equal(pidOf(folder), postgres.pid());
    await postgres.stop();
  });

  it('makes no second database when root is asked for that of another account', { skip: !isRoot }, async () => {
    const { uid, gid } = statSync(join(folder, 'cluster'));
    chownSync(folder, uid, gid);
    chmodSync(folder, 0o700); // as that account makes it

    await assert.rejects(start(), { message: /^The database in .* belongs to another account: run the command as/ });
  });
});
