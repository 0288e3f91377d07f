import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const path = fileURLToPath(new URL('../../libs/pieces/catalogue/index.json', import.meta.url));
const entries = JSON.parse(readFileSync(path, 'utf8'));

describe('the catalogue of packages', () => {
  it('has each package once, in the order of the names', () => {
    const names = entries.map(({ name }) => name);
    assert.deepEqual(names, [...new Set(names)].sort());
  });

  it('has of each an exact version, the hash of its content, and what people choose it by', () => {
    for (const { name, version, integrity, size, displayName, actions, triggers } of entries) {
      assert.match(version, /^\d+\.\d+\.\d+$/, name);
      assert.match(integrity, /^sha512-[A-Za-z0-9+/]{86}==$/, name);
      assert.ok(size > 0 && displayName.length > 0, name);
      assert.ok(Object.keys(actions).length + Object.keys(triggers).length > 0, name);
    }
  });

  it('lists the exceptions that have native parts', () => {
    const native = entries.filter(({ hasNativeParts }) => hasNativeParts).map(({ name }) => name);
    assert.deepEqual(native, ['@activepieces/piece-image-helper']);
  });
});
