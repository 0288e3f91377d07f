import childProcess, { type ChildProcess, type SpawnOptions } from 'node:child_process';
import type { Esbuild } from './bundle-source';

/** Standard input, output and errors, and two that Go keeps for waiting. With no more, it can open no file. */
const ESBUILDS_DESCRIPTORS = 5;

/** The first use makes Go take the descriptors that it keeps. */
export async function startEsbuild(esbuildPath: string): Promise<Esbuild> {
  if (process.platform === 'linux') childProcess.spawn = withoutFiles(childProcess.spawn) as typeof childProcess.spawn;
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- after `spawn` has been replaced
  const loaded = require(esbuildPath) as Esbuild;
  await loaded.transform('');
  return loaded;
}

/** esbuild gets what it bundles from us. Its program runs outside of Node's permissions, so the kernel denies it files. */
function withoutFiles(spawn: (file: string, args: readonly string[], options: SpawnOptions) => ChildProcess) {
  return (file: string, args: readonly string[], options: SpawnOptions) =>
    spawn('/bin/sh', ['-c', `ulimit -n ${ESBUILDS_DESCRIPTORS} && exec "$0" "$@"`, file, ...args], options);
}
