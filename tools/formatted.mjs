/** Formats texts that tools write into the repository as `npm run format` would. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const OXFMT = 'node_modules/oxfmt/bin/oxfmt';

/**
 * @param {string} path of the file from the root, which decides its options
 * @param {string} text
 * @returns {string}
 */
export const formatted = (path, text) =>
  execFileSync(process.execPath, [OXFMT, `--stdin-filepath=${path}`], { cwd: root, input: text, encoding: 'utf8' });
