import assert from 'node:assert/strict';
import { rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.mjs';
import { hashSources, isFresh, writeStamp } from './build.mjs';

function builtProject(test) {
  const root = temporaryFolder(test);
  writeFiles(root, {
    'apps/api/src/main.ts': 'start();',
    'libs/domain/src/index.ts': 'export {};',
    'package-lock.json': '{}',
    'dist/apps/api/main.cjs': '1',
    'dist/apps/console/index.html': '4',
    'dist/apps/webhook-gateway/main.cjs': '2',
    'dist/apps/worker/main.cjs': '3',
  });
  writeStamp(root, hashSources(root));
  return root;
}

const fresh = (root) => isFresh(root, hashSources(root));

describe('the build', () => {
  it('is fresh when nothing changed, also when files were only touched', (test) => {
    const root = builtProject(test);

    utimesSync(join(root, 'apps/api/src/main.ts'), new Date(), new Date());

    assert.equal(fresh(root), true);
  });

  for (const [path, content] of [
    ['libs/domain/src/index.ts', 'export const changed = 1;'],
    ['libs/domain/src/new.ts', ''],
    ['package-lock.json', '{ "changed": true }'],
    ['dist/apps/worker/main.cjs', 'built by someone else'],
  ]) {
    it(`is stale when ${path} changed`, (test) => {
      const root = builtProject(test);

      writeFiles(root, { [path]: content });

      assert.equal(fresh(root), false);
    });
  }

  it('stays fresh when only a test changed', (test) => {
    const root = builtProject(test);

    writeFiles(root, {
      'libs/domain/src/id.spec.ts': '',
      'apps/api-e2e/src/flows.e2e-spec.ts': '',
      'apps/console/src/api/schema.d.ts': 'made by the build',
    });

    assert.equal(fresh(root), true);
  });

  it('is stale when the output is gone', (test) => {
    const root = builtProject(test);

    rmSync(join(root, 'dist/apps/api'), { recursive: true });

    assert.equal(fresh(root), false);
  });
});
