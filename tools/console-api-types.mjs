/** Writes the types of the API for the console, from the OpenAPI document of the built api, unless they are up to date. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CannotContinue, giveUp } from './progress.mjs';
import { ensureBuild } from './start/build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const API = join(root, 'dist/apps/api/main.cjs');
const TYPES = join(root, 'apps/console/src/api/schema.d.ts');
const WRITER = join(root, 'node_modules/openapi-typescript/bin/cli.js');
/** Far more than the document, which has about a megabyte. */
const MAX_BYTES = 64 * 1024 * 1024;

const areUpToDate = () => existsSync(TYPES) && statSync(TYPES).mtimeMs >= statSync(API).mtimeMs;

function run(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { maxBuffer: MAX_BYTES });
  if (status !== 0) throw new CannotContinue(`The types of the API could not be written.\n${stderr}`);
  return stdout;
}

function writeTypes() {
  const folder = mkdtempSync(join(tmpdir(), 'api-types-'));
  const [document, types] = [join(folder, 'openapi.json'), join(folder, 'schema.d.ts')];
  try {
    writeFileSync(document, run(API, 'openapi'));
    run(WRITER, document, '--output', types, '--default-non-nullable=false');
    copyFileSync(types, TYPES);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

try {
  await ensureBuild(root);
  if (!areUpToDate()) writeTypes();
} catch (error) {
  giveUp(error);
}
