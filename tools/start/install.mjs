/**
 * Installs the packages of package-lock.json. It uses only Node.js, because it runs before any package is installed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CannotContinue, during } from '../progress.mjs';
import { runCommand } from './run-command.mjs';

const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|network/;

export async function ensureDependencies(root, signal) {
  const reason = whyStale(root);
  if (!reason) return;
  const { code, output } = await during(`${reason}: installing the locked ones (npm ci)`, () => npmCi(root, signal));
  if (code === 0 || signal?.aborted) return;
  throw explain(code, output);
}

/**
 * Why the installed packages differ from the lock; undefined when they do not. npm writes its record only at the end.
 */
export function whyStale(root) {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return 'The dependencies are not installed';
  const installed = readPackages(record);
  for (const [path, wanted] of Object.entries(readPackages(join(root, 'package-lock.json')))) {
    const present = installed[path];
    const matches = present ? present.version === wanted.version && present.integrity === wanted.integrity : false;
    if (path !== '' && !matches && (present || !wanted.optional)) return 'The dependencies have changed';
  }
  return undefined;
}

function readPackages(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

function npmCi(root, signal) {
  const args = ['ci', '--include=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath; // the npm that started this command, which may not be on the PATH
  const options = { cwd: root, signal };
  return npm?.endsWith('.js')
    ? runCommand(process.execPath, [npm, ...args], options)
    : runCommand('npm', args, { ...options, shell: process.platform === 'win32' });
}

function explain(code, output) {
  const details = output.trim().split('\n').slice(-8).join('\n');
  if (/ENOSPC|No space left/.test(output)) {
    return new CannotContinue('The disk is full: free about 1 GB for the dependencies and run the command again.');
  }
  if (UNREACHABLE.test(output)) {
    return new CannotContinue(
      `The npm registry cannot be reached: connect to the network (or point "npm config set registry" to one in reach) and run the command again.\n${details}`,
    );
  }
  return new CannotContinue(
    `The dependencies could not be installed (npm ci ended with ${code}): correct what npm says below and run the command again.\n${details}`,
  );
}
