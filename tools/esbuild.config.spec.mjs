import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import config from './esbuild.config.cjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

describe('the packages of a built app', () => {
  let required;
  let built;
  let files;

  before(async () => {
    const result = await build({
      ...config,
      plugins: config.plugins.filter(({ name }) => name === 'packages'),
      stdin: {
        contents: `
          export { NestFactory } from '@nestjs/core';
          export { FastifyAdapter } from '@nestjs/platform-fastify';
          export { BullBoardModule } from '@bull-board/nestjs';
          export { Pool } from 'pg';
          export { LRUCache } from 'lru-cache';
          export { readFileSync } from 'node:fs';`,
        resolveDir: root,
      },
      bundle: true,
      write: false,
      metafile: true,
      sourcemap: false,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
    });
    built = result.outputFiles[0].text;
    files = Object.keys(result.metafile.inputs);
    required = [...new Set([...built.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, path]) => path))];
  });

  it('are in it when they are ES modules, or import Nest', () => {
    assert.deepEqual(
      required.filter((path) => /^(@nestjs\/(core|common|platform-fastify)|lru-cache|@bull-board\/nestjs)/.test(path)),
      [],
    );
  });

  it('stay beside it when the package.json names them and Node loads them at once', () => {
    assert.ok(
      ['pg', 'fastify', 'rxjs', 'reflect-metadata'].every((name) => required.includes(name)),
      required.join(),
    );
  });

  it('are nothing else, so that the app finds each in its own node_modules', () => {
    const packages = required.filter((path) => !isBuiltin(path));
    const names = packages.map((path) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'));
    assert.deepEqual(
      names.filter((name) => !dependencies[name]),
      [],
    );
  });

  it('have one Nest', () => {
    assert.equal(files.filter((file) => file.endsWith('@nestjs/core/nest-factory.js')).length, 1);
  });

  it('can be loaded, with the names of their classes in the logs', async () => {
    const exported = { exports: {} };
    new Function('module', 'exports', 'require', '__filename', '__dirname', built)(
      exported,
      exported.exports,
      require,
      join(root, 'main.cjs'),
      dirname(root),
    );
    assert.equal(typeof exported.exports['NestFactory'].create, 'function');
    assert.match(built, /new Logger\("InstanceLoader"/);
  });
});
