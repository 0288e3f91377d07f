/** Starts the whole service with the launcher, for the end-to-end suites. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CannotContinue } from '../progress.mjs';

const LAST_WORDS = 'Stop it with Ctrl-C';
/** More unexpected errors than these have the same causes. */
const MOST_ERRORS = 20;

export async function startService({ root, dataDir, environment }) {
  const launcher = spawn(process.execPath, [join(root, 'tools/start.mjs')], {
    cwd: root,
    env: { ...environment, SVC_DATA_DIR: dataDir, SVC_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(launcher, 'exit').then(([code]) => code);
  await lastWordsOf(launcher);
  const credentials = readJson(dataDir, 'credentials.json');
  return {
    dataDir,
    baseUrl: readJson(dataDir, 'running.json').baseUrl,
    credentials,
    /** @returns the launcher's exit code */
    stop: async () => {
      launcher.kill('SIGTERM');
      return exited;
    },
  };
}

/** Returns log lines about errors that an app of the service answered with 500, one for each cause. */
export function unexpectedErrors(dataDir) {
  const logs = readdirSync(join(dataDir, 'logs')).map((file) => readFileSync(join(dataDir, 'logs', file), 'utf8'));
  const lines = logs.flatMap((log) => log.split('\n'));
  const errors = lines.filter((line) => line.includes('Unexpected error'));
  return [...new Map(errors.map((line) => [stackOf(line), line])).values()].slice(0, MOST_ERRORS);
}

/** Errors with the same stack have the same cause. */
function stackOf(line) {
  try {
    return JSON.parse(line).stack;
  } catch {
    return line;
  }
}

function readJson(folder, name) {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'));
}

/** @returns {Promise<void>} */
function lastWordsOf(launcher) {
  return new Promise((resolve, reject) => {
    let output = '';
    const listen = (chunk) => {
      output += chunk;
      if (output.includes(LAST_WORDS)) resolve();
    };
    launcher.stdout.on('data', listen);
    launcher.stderr.on('data', listen);
    launcher.once('exit', (code) =>
      reject(new CannotContinue(`The service did not start (exit code ${code}):\n${output}`)),
    );
  });
}
