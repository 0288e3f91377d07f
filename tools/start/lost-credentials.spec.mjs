import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.mjs';
import { openCredentials } from './credentials.mjs';
import { refuseLostCredentials } from './lost-credentials.mjs';

const answering = (answer) => ({ query: async () => answer() });
const used = answering(() => ({ rowCount: 1 }));

describe('a database that was used with another encryption key', () => {
  it('ends a start with the exit code of wrong settings and with what to do, and no secrets are made', async (test) => {
    const folder = temporaryFolder(test);

    await assert.rejects(refuseLostCredentials(used, folder, {}), {
      exitCode: 78,
      message: /credentials\.json has none.*no new secrets were made.*Put that file back, or set SVC_ENCRYPTION_KEY/,
    });

    assert.ok(!existsSync(join(folder, 'credentials.json')));
  });

  it('is refused, too, by a file of secrets without that key, which is left as it is', async (test) => {
    const folder = temporaryFolder(test);
    writeFiles(folder, { 'credentials.json': '{}' });

    await assert.rejects(refuseLostCredentials(used, folder, {}), /has none/);

    assert.equal(readFileSync(join(folder, 'credentials.json'), 'utf8'), '{}');
  });

  it('is used with the key of the environment, or of the file', async (test) => {
    const folder = temporaryFolder(test);
    await refuseLostCredentials(used, folder, { SVC_ENCRYPTION_KEY: 'ab'.repeat(32) });

    openCredentials(folder, {});
    await refuseLostCredentials(used, folder, {});
  });

  it('is neither one without data keys, nor a new one', async (test) => {
    const folder = temporaryFolder(test);
    const isNew = answering(() => {
      throw Object.assign(new Error('relation "data_key" does not exist'), { code: '42P01' });
    });

    await refuseLostCredentials(
      answering(() => ({ rowCount: 0 })),
      folder,
      {},
    );
    await refuseLostCredentials(isNew, folder, {});
  });
});
