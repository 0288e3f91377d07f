import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../testing/temporary-folder.mjs';
import { keepLogsSmall } from './app-process.mjs';
import { Service } from './service.mjs';

const LARGE = 50 * 1024 * 1024;

function aService(dataDir) {
  let postgres = 1;
  const service = new Service({
    root: dataDir,
    appsFolder: 'apps',
    credentials: { environmentOf: () => ({}) },
    onHopeless: assert.fail,
    apiPort: 1,
    databaseUrl: 'postgres://nobody@127.0.0.1:1/nothing',
    settings: { apps: [], dataDir, host: '127.0.0.1', port: 2 },
    postgresPid: () => postgres,
  });
  const pids = () => JSON.parse(readFileSync(join(dataDir, 'running.json'), 'utf8')).pids;
  return { service, pids, restartPostgres: () => (postgres += 1) };
}

/** Makes every write to the file fail as on a full disk. */
const fillDiskUnder = (file) => symlinkSync('/dev/full', file);
const withFullDisk = { skip: existsSync('/dev/full') ? false : 'there is no /dev/full here' };

describe('what the launcher writes while the service runs', () => {
  it('names the processes of this moment, and goes when the service stops', async (test) => {
    const dataDir = temporaryFolder(test);
    const { service, pids, restartPostgres } = aService(dataDir);
    service.writeDown();
    restartPostgres();

    service.writeDown();
    assert.deepEqual(pids(), { launcher: process.pid, postgres: 2 });

    await service.stop();
    service.writeDown();
    assert.equal(existsSync(join(dataDir, 'running.json')), false);
  });

  it('stays when another launcher has written it since', async (test) => {
    const dataDir = temporaryFolder(test);
    const { service, pids } = aService(dataDir);
    service.writeDown();
    writeFileSync(join(dataDir, 'running.json'), '{"pids":{"launcher":1}}');

    await service.stop();

    assert.deepEqual(pids(), { launcher: 1 });
  });

  it('is left as it was on a full disk, and the service goes on', withFullDisk, (test) => {
    const dataDir = temporaryFolder(test);
    const { service, pids } = aService(dataDir);
    service.writeDown();
    fillDiskUnder(join(dataDir, `running.json.${process.pid}`));

    service.writeDown();

    assert.equal(pids().postgres, 1);
  });

  it('makes room on a full disk by giving up the older part of a large log', withFullDisk, (test) => {
    const dataDir = temporaryFolder(test);
    const log = join(dataDir, 'logs', 'api.log');
    mkdirSync(join(dataDir, 'logs'));
    writeFileSync(log, '');
    truncateSync(log, LARGE);
    fillDiskUnder(`${log}.1`);

    keepLogsSmall(['api'], dataDir);

    assert.equal(statSync(log).size, 0);
    assert.equal(existsSync(`${log}.1`), false);
  });
});
