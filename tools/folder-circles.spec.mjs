import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findCircles } from './folder-circles.mjs';

describe('the search for circles of folders', () => {
  it('finds folders that import one another, over others too', () => {
    const circles = findCircles([
      ['run/walk.ts', `import { read } from '../outputs/reader';`],
      ['outputs/reader.ts', `import type { Path } from '../paths/path';`],
      ['paths/path.ts', `export { Walk } from '../run/walk';`],
    ]);

    assert.deepEqual(circles, [['run', 'outputs', 'paths', 'run']]);
  });

  it('finds a folder that imports a file beside the folders, which imports it', () => {
    const circles = findCircles([
      ['catalogue.ts', `import { http } from './http/http.piece';`],
      ['http/http.piece.ts', `import { definePiece } from '../piece';`],
    ]);

    assert.deepEqual(circles, [['.', 'http', '.']]);
  });

  it('is content with one direction, with tests that go back, and with the index', () => {
    const circles = findCircles([
      ['index.ts', `export * from './run/walk';`],
      ['run/walk.ts', `import { read } from '../outputs/reader'; import '@millrace/domain';`],
      ['outputs/reader.spec.ts', `import { walk } from '../run/walk';`],
      ['outputs/testing/reader.ts', `import { walk } from '../../run/walk';`],
    ]);

    assert.deepEqual(circles, []);
  });
});
