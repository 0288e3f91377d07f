/** Writes the types of the API for the console, from the OpenAPI document of the built api. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const TYPES = 'apps/console/src/api/schema.d.ts';
/** Larger than the document, which has about a megabyte. */
const MAX_BYTES = 64 * 1024 * 1024;

function run(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, maxBuffer: MAX_BYTES });
  if (status === 0) return stdout;
  process.stderr.write(stderr);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'api-types-'));
process.once('exit', () => rmSync(folder, { recursive: true }));
const document = join(folder, 'openapi.json');
writeFileSync(document, run('dist/apps/api/main.cjs', 'openapi'));
const types = join(folder, 'schema.d.ts');
run('node_modules/openapi-typescript/bin/cli.js', document, '--output', types, '--default-non-nullable=false');
writeFileSync(join(root, TYPES), readFileSync(types));
