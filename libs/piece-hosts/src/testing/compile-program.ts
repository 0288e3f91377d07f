import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = join(__dirname, '..');
const COMPILED = join(SOURCES, '../../../node_modules/.cache/piece-hosts');

/** Compiles the program of the hosts as the build of an app does, for tests that run from the sources. Gives its path. */
export const compileProgram = (): Promise<string> => compile('inside/host-program.ts');

/** Compiles the worker that a test kills. */
export const compileWorker = (): Promise<string> => compile('testing/worker-to-kill.ts');

async function compile(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(SOURCES, entry)],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
  });
  const text = outputFiles.map((output) => output.text).join('');
  const file = join(COMPILED, `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.cjs`);
  if (existsSync(file)) return file;
  mkdirSync(COMPILED, { recursive: true });
  // Other test files may compile the program at the same time, so the file appears in one step.
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
  return file;
}
