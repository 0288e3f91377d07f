/** Builds the apps when their sources have changed since the last build. Nx is started only then. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CannotContinue, during } from '../progress.mjs';
import { NX, NX_ENVIRONMENT, runCommand } from './run-command.mjs';

const APPS = ['api', 'console', 'webhook-gateway', 'worker'];
const SOURCES = ['apps', 'libs', 'tools/esbuild.config.cjs', 'tsconfig.base.json', 'nx.json', 'package-lock.json'];
const NOT_BUILT =
  /(^|\/)(testing|node_modules|[^/]+-e2e|e2e-support)(\/|$)|\.(spec|int-spec|e2e-spec)\.ts$|\.md$|^apps\/console\/src\/api\/schema\.d\.ts$/;
const STAMP = 'dist/built-from.json';

export async function ensureBuild(root, signal) {
  const sources = hashSources(root);
  if (isFresh(root, sources)) return;
  const { code, output } = await during('Building the apps', () =>
    runCommand(process.execPath, [NX, 'run-many', '-t', 'build', `--projects=${APPS.join(',')}`], {
      cwd: root,
      signal,
      env: { ...process.env, ...NX_ENVIRONMENT },
    }),
  );
  if (signal?.aborted) return;
  if (code !== 0)
    throw new CannotContinue(`The build failed: correct the errors below and run the command again.\n${output.trim()}`);
  writeStamp(root, sources);
}

/** A hash of the contents of all sources. Times of files do not count, because a checkout or a copy changes them. */
export function hashSources(root) {
  const hash = createHash('sha256');
  for (const path of SOURCES.flatMap((source) => filesBelow(root, source))) {
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesBelow(root, path) {
  if (NOT_BUILT.test(path) || !existsSync(join(root, path))) return [];
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => filesBelow(root, `${path}/${name}`));
}

/** Size and time of each built file. The stamp includes them, because `nx serve` builds into the same folders. */
function describeOutput(root) {
  return APPS.map((app) => {
    const file = join(root, 'dist/apps', app, app === 'console' ? 'index.html' : 'main.cjs');
    return existsSync(file) ? `${statSync(file).size} ${statSync(file).mtimeMs}` : 'missing';
  });
}

export function isFresh(root, sources) {
  const file = join(root, STAMP);
  if (!existsSync(file)) return false;
  const output = describeOutput(root);
  return !output.includes('missing') && readFileSync(file, 'utf8') === stampOf(sources, output);
}

export function writeStamp(root, sources) {
  writeFileSync(join(root, STAMP), stampOf(sources, describeOutput(root)));
}

function stampOf(sources, output) {
  return JSON.stringify({ sources, output });
}
