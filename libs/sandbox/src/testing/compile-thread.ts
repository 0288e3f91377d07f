import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = join(__dirname, '..');
/** Inside the workspace, so that the thread finds its packages. */
const COMPILED = join(SOURCES, '../../../node_modules/.cache/sandbox-thread');

/** Compiles the thread's entry as the build of an app does, for tests that run from the sources; gives its path. */
export async function compileThread(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(SOURCES, 'isolate-thread.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    packages: 'external',
  });
  const { text } = outputFiles[0];
  const file = join(COMPILED, `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.cjs`);
  if (existsSync(file)) return file;
  mkdirSync(COMPILED, { recursive: true });
  // Other test files may compile the same at the same time.
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
  return file;
}
