/**
 * `npm run check-images`: performs the build stages of the Dockerfiles in an empty folder, with `npm ci` as they say,
 * and starts the apps from what comes out. It takes some minutes and needs the package registry.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { giveUp, say } from '../progress.mjs';
import { makeThrowAwayFolder, startThrowAwayPostgres } from '../testing/throw-away.mjs';
import { ImageBuild } from './build-image.mjs';
import { APPS } from './pruned-build.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SPEC = fileURLToPath(new URL('pruned-builds.container-spec.mjs', import.meta.url));

async function check(folder) {
  const images = join(folder, 'images');
  mkdirSync(images, { mode: 0o755 });
  const build = new ImageBuild(root, images);
  for (const app of APPS) build.make(app);
  say('All images are built. Starting the apps.');
  const postgres = await startThrowAwayPostgres(folder);
  try {
    const environment = {
      MILLRACE_PRUNED_BUILDS: images,
      MILLRACE_IMAGES_DATABASE_URL: await postgres.create('images'),
    };
    const spec = spawn(process.execPath, ['--test', '--test-reporter=spec', SPEC], {
      stdio: 'inherit',
      env: { ...process.env, ...environment },
    });
    const [code] = await once(spec, 'exit');
    return code ?? 1;
  } finally {
    await postgres.stop();
  }
}

const folder = makeThrowAwayFolder();
chmodSync(folder, 0o755);
try {
  process.exitCode = await check(folder);
} catch (error) {
  giveUp(error);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
