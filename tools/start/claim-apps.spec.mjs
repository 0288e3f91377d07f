import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../testing/temporary-folder.mjs';
import { claimApps } from './claim-apps.mjs';

const AT_ONCE = 0;
const LEFT_BEHIND = 300;

/** Starts another launcher that claims the apps of the folder. */
async function otherLauncher(test, folder, apps) {
  const source = `const { claimApps } = await import('./tools/start/claim-apps.mjs');
    await claimApps(${JSON.stringify(apps)}, process.argv[1]);
    process.send('claimed');
    process.on('message', () => undefined);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source, folder], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  test.after(() => child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

describe('claimApps', () => {
  it('refuses apps that another launcher runs on the same data directory, and names it', async (test) => {
    const folder = temporaryFolder(test);
    const other = await otherLauncher(test, folder, ['api', 'worker']);

    await assert.rejects(
      claimApps(['webhook-gateway', 'worker'], folder, AT_ONCE),
      new RegExp(`worker runs on .* already, started by process ${other.pid}: .*SVC_DATA_DIR`),
    );
    assert.deepEqual(readdirSync(folder).sort(), ['api.launcher', 'worker.launcher']);
  });

  it('lets one launcher run some apps and another one the others', async (test) => {
    const folder = temporaryFolder(test);
    await otherLauncher(test, folder, ['worker']);

    const release = await claimApps(['api', 'webhook-gateway'], folder, AT_ONCE);
    release();

    assert.deepEqual(readdirSync(folder), ['worker.launcher']);
  });

  it('takes over from a launcher that was killed', async (test) => {
    const folder = temporaryFolder(test);
    const other = await otherLauncher(test, folder, ['worker']);
    other.kill('SIGKILL');
    await once(other, 'exit');

    await claimApps(['worker'], folder, LEFT_BEHIND);

    assert.equal(JSON.parse(readFileSync(join(folder, 'worker.launcher'), 'utf8')).pid, process.pid);
  });

  it('takes over when the number of a killed launcher belongs to another process by now', async (test) => {
    const folder = temporaryFolder(test);
    const other = await otherLauncher(test, folder, ['worker']);
    const file = join(folder, 'worker.launcher');
    const claim = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...claim, start: 'long before' }));

    await claimApps(['worker'], folder, LEFT_BEHIND);

    assert.equal(claim.pid, other.pid);
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).pid, process.pid);
  });

  it('says that nothing can be written to the data directory', async () => {
    await assert.rejects(claimApps(['worker'], '/dev/null'), /cannot be written to .*ENOTDIR.*SVC_DATA_DIR/);
  });
});
