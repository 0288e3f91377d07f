import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeThrowAwayFolder, placeForServers } from './throw-away.mjs';

const DEAD = 2 ** 22 + 1; // more than the largest id of a process

test('servers are in memory only where there is plenty of it', () => {
  assert.equal(placeForServers('/', 1), '/');
  assert.equal(placeForServers('/', Infinity), tmpdir());
  assert.equal(placeForServers('/there/is/no/such/folder', 1), tmpdir());
});

test('what a killed test run left is removed from the place where it was', () => {
  const place = mkdtempSync(join(tmpdir(), 'place-'));
  const left = join(place, `millrace-test-${DEAD}-x`);
  mkdirSync(left);

  const made = makeThrowAwayFolder(place);

  assert.equal(existsSync(left), false);
  assert.equal(made.startsWith(join(place, `millrace-test-${process.pid}-`)), true);
  rmSync(place, { recursive: true });
});
