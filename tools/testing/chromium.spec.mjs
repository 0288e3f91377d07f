import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findChromium } from './chromium.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

describe('findChromium', () => {
  it('finds a browser on the PATH, and passes over one that does not run', (t) => {
    const [broken, working] = [temporaryFolder(t), temporaryFolder(t)];
    program(broken, 'chromium', 1);
    const path = program(working, 'google-chrome', 0);
    assert.equal(findChromium({ PATH: `${broken}:/absent:${working}` }), path);
    assert.equal(findChromium({ PATH: broken }), undefined);
  });

  it('prefers the one without windows, wherever it is on the PATH', (t) => {
    const [first, second] = [temporaryFolder(t), temporaryFolder(t)];
    program(first, 'chromium', 0);
    const path = program(second, 'chromium-headless-shell', 0);
    assert.equal(findChromium({ PATH: `${first}:${second}` }), path);
  });

  it('takes the one of MILLRACE_CHROMIUM and no other', (t) => {
    const folder = temporaryFolder(t);
    program(folder, 'chromium', 0);
    const mine = program(folder, 'my-browser', 0);
    assert.equal(findChromium({ MILLRACE_CHROMIUM: mine, PATH: folder }), mine);
    assert.equal(findChromium({ MILLRACE_CHROMIUM: join(folder, 'absent'), PATH: folder }), undefined);
  });
});

function program(folder, name, exitCode) {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\nexit ${exitCode}\n`, { mode: 0o755 });
  return path;
}
