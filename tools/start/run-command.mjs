/** Runs a program to its end and keeps its output, so that the caller can show it after a failure. */
import { spawn } from 'node:child_process';

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ signal?: AbortSignal, cwd?: string, env?: NodeJS.ProcessEnv, shell?: boolean }} [options]
 * @returns {Promise<{ code: number | null, output: string }>} `code` is null when the program did not start or was
 * killed
 */
export function runCommand(command, args, { signal, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    const keep = (chunk) => {
      output += chunk;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const end = () => child.kill('SIGTERM');
    signal?.addEventListener('abort', end, { once: true });
    child.once('error', (error) => resolve({ code: null, output: error.message }));
    child.once('close', (code) => {
      signal?.removeEventListener('abort', end);
      resolve({ code, output });
    });
  });
}

/** Runs Nx without its daemon, its cloud and its full-screen output. */
export const NX_ENVIRONMENT = { NX_NO_CLOUD: 'true', NX_TUI: 'false', NX_DAEMON: 'false' };
export const NX = 'node_modules/nx/dist/bin/nx.js';
