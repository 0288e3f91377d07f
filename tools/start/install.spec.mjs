import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.mjs';
import { whyStale } from './install.mjs';

const pg = { version: '8.0.0', integrity: 'sha512-a' };
const otherPlatform = { version: '1.0.0', integrity: 'sha512-b', optional: true };

function project(test, installed) {
  const root = temporaryFolder(test);
  const packages = { '': {}, 'node_modules/pg': pg, 'node_modules/other-platform': otherPlatform };
  writeFiles(root, { 'package-lock.json': { packages } });
  if (installed) writeFiles(root, { 'node_modules/.package-lock.json': { packages: installed } });
  return root;
}

const reasonFor = (test, installed) => whyStale(project(test, installed)) ?? 'none';

describe('whyStale', () => {
  it('finds nothing to do when what is locked is installed, but for optional packages of other platforms', (test) => {
    assert.equal(whyStale(project(test, { 'node_modules/pg': pg })), undefined);
  });

  it('says when nothing is installed, or an installation was interrupted', (test) => {
    assert.match(reasonFor(test, undefined), /not installed/);
  });

  it('says when a locked package is missing or another one', (test) => {
    assert.match(reasonFor(test, {}), /have changed/);
    assert.match(reasonFor(test, { 'node_modules/pg': { ...pg, version: '7.0.0' } }), /have changed/);
    assert.match(reasonFor(test, { 'node_modules/pg': { ...pg, integrity: 'sha512-x' } }), /have changed/);
  });
});
