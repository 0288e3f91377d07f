import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findGaps } from './check-lockfile.mjs';

describe('findGaps', () => {
  it('names an optional platform package that is not locked', () => {
    const packages = { 'node_modules/esbuild': { optionalDependencies: { '@esbuild/linux-x64': '1' } } };

    assert.deepEqual(findGaps({ packages }), ['node_modules/esbuild lacks @esbuild/linux-x64']);
  });

  it('finds a dependency in the own folder and in those above', () => {
    const packages = {
      'node_modules/a': { dependencies: { b: '1' } },
      'node_modules/a/node_modules/b': { dependencies: { c: '1' } },
      'node_modules/c': {},
    };

    assert.deepEqual(findGaps({ packages }), []);
  });
});
