import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = join(__dirname, '..');
/** The compiled entries lie inside the workspace, so that they find their packages. */
const COMPILED = join(SOURCES, '../../../node_modules/.cache/sandbox-thread');

/**
 * Compiles the entry of the thread as the build of an app does, for tests that run from the sources. Gives its path.
 */
export const compileThread = (): Promise<string> => compileEntry('isolate-thread.ts');

/** Compiles the entries of the processes that bundle and install, and gives their paths. */
export async function compileBundling(): Promise<{ bundle: string; install: string }> {
  return {
    bundle: await compileEntry('bundling/bundle-process.ts'),
    install: await compileEntry('bundling/install-process.ts'),
  };
}

export async function compileEntry(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(SOURCES, entry)],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    packages: 'external',
  });
  const text = outputFiles.map((output) => output.text).join('');
  const file = join(COMPILED, `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.cjs`);
  if (existsSync(file)) return file;
  mkdirSync(COMPILED, { recursive: true });
  // Other test files may compile the same entry at the same time, so the file appears in one step.
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
  return file;
}
