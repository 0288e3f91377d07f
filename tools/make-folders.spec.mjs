import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeFolders } from './make-folders.mjs';
import { temporaryFolder } from './testing/temporary-folder.mjs';

describe('makeFolders', () => {
  it('makes what is missing, with its mode, and leaves what is there', (test) => {
    const folder = temporaryFolder(test);
    mkdirSync(join(folder, 'there'), { mode: 0o700 });

    makeFolders(join(folder, 'there', 'a', 'b'), 0o755);
    makeFolders(join(folder, 'there', 'a'), 0o700);

    assert.equal(statSync(join(folder, 'there')).mode & 0o777, 0o700);
    assert.equal(statSync(join(folder, 'there/a/b')).mode & 0o777, 0o755);
  });

  it('says why a folder cannot be made', (test) => {
    const file = join(temporaryFolder(test), 'file');
    writeFileSync(file, '');

    assert.throws(() => makeFolders(join(file, 'below'), 0o755), { code: 'ENOTDIR' });
  });

  it('returns also where a system folder takes no folders', { skip: process.platform !== 'linux' }, () => {
    const source = `import { makeDataDir } from './tools/start/credentials.mjs'; makeDataDir('/proc/nope/deeper');`;

    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { timeout: 10_000 });

    assert.equal(status, 1);
    assert.match(String(stderr), /\/proc\/nope\/deeper cannot be made \(ENOENT\): set SVC_DATA_DIR/);
  });
});
