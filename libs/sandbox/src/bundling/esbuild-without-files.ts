import childProcess, { type ChildProcess, type SpawnOptions } from 'node:child_process';
import type { Esbuild } from './bundle-source';

/** esbuild needs its three standard streams and two descriptors of the Go runtime. With no more it can open no file. */
const ESBUILDS_DESCRIPTORS = 5;

/** Starts esbuild. One transformation makes the Go runtime take its descriptors before any source is worked on. */
export async function startEsbuild(esbuildPath: string): Promise<Esbuild> {
  if (process.platform === 'linux') childProcess.spawn = withoutFiles(childProcess.spawn) as typeof childProcess.spawn;
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- after `spawn` has been replaced
  const loaded = require(esbuildPath) as Esbuild;
  await loaded.transform('');
  return loaded;
}

/**
 * esbuild gets every file that it bundles from our plugin. Its program does not obey the permissions of Node.js, so a
 * limit on descriptors makes the kernel refuse it files.
 */
function withoutFiles(spawn: (file: string, args: readonly string[], options: SpawnOptions) => ChildProcess) {
  return (file: string, args: readonly string[], options: SpawnOptions) =>
    spawn('/bin/sh', ['-c', `ulimit -n ${ESBUILDS_DESCRIPTORS} && exec "$0" "$@"`, file, ...args], options);
}
