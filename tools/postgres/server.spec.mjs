import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { stopServer } from './server.mjs';

/** Starts a process that stopServer takes for a server, since it works in the cluster, and that ignores the signals. */
async function stubbornServer(test, ignored) {
  const cluster = mkdtempSync(join(tmpdir(), 'millrace-cluster-'));
  const source = `for (const signal of ${JSON.stringify(ignored)}) process.on(signal, () => undefined);
    setInterval(() => undefined, 1_000);
    console.log('ready');`;
  const server = spawn(process.execPath, ['-e', source], { cwd: cluster, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(server, 'exit').then(([, signal]) => signal);
  test.after(() => {
    server.kill('SIGKILL');
    rmSync(cluster, { recursive: true });
  });
  await once(server.stdout, 'data');
  return { pid: server.pid, place: { cluster }, ended };
}

describe('stopServer', () => {
  it('needs no harder way than the first when the server ends', async (test) => {
    const said = test.mock.method(console, 'log', () => undefined);
    const { pid, place, ended } = await stubbornServer(test, []);

    await stopServer(pid, place);

    assert.equal(await ended, 'SIGINT');
    assert.equal(said.mock.callCount(), 0);
  });

  it('stops a server at once that does not end in time, and says so', async (test) => {
    const said = test.mock.method(console, 'log', () => undefined);
    const { pid, place, ended } = await stubbornServer(test, ['SIGINT']);

    await stopServer(pid, place, { fastMs: 100, immediateMs: 10_000, killedMs: 10_000 });

    assert.equal(await ended, 'SIGQUIT');
    assert.equal(said.mock.callCount(), 1);
    assert.match(said.mock.calls[0].arguments[0], /PostgreSQL has not ended within 0\.1 s: .* next start recovers/);
  });

  it('kills a server that does not answer at all, and says so', async (test) => {
    const said = test.mock.method(console, 'log', () => undefined);
    const { pid, place, ended } = await stubbornServer(test, ['SIGINT', 'SIGQUIT']);

    await stopServer(pid, place, { fastMs: 100, immediateMs: 100, killedMs: 10_000 });

    assert.equal(await ended, 'SIGKILL');
    assert.match(said.mock.calls[1].arguments[0], new RegExp(`its process ${pid} is killed`));
  });
});
