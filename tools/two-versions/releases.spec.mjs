import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../testing/temporary-folder.mjs';
import { releaseBefore } from './releases.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the release before', () => {
  const gitIn = (folder) => (args) => execFileSync('git', args.split(' '), { cwd: folder, encoding: 'utf8' }).trim();

  it('is the newest tag, and without one the commit that the repository names', (test) => {
    const folder = temporaryFolder(test);
    const git = gitIn(folder);
    git('init --quiet');
    git('-c user.name=a -c user.email=a@b commit --quiet --allow-empty --message=first');
    mkdirSync(join(folder, 'tools/two-versions'), { recursive: true });
    writeFileSync(join(folder, 'tools/two-versions/base-commit'), `${git('rev-parse HEAD')}\n`);

    assert.equal(releaseBefore(folder), git('rev-parse HEAD'));
    git('tag v1.0.0');
    assert.equal(releaseBefore(folder), 'v1.0.0');
  });

  it('is a whole commit id in this repository', () => {
    assert.match(releaseBefore(root), /^(?:[0-9a-f]{40}|v\d.*)$/);
  });
});
