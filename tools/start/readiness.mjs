/** Waits until an app reports that it is ready. Throws CannotContinue when that takes longer than two minutes. */
import { logFileOf } from './log-files.mjs';
import { CannotContinue } from '../progress.mjs';
import { httpRequest } from './http-request.mjs';
import { waitUntil } from '../running-processes.mjs';

const PATIENCE_MS = 120_000;

/**
 * @param {string} app
 * @param {string} url
 * @param {{ signal: AbortSignal, dataDir?: string, patienceMs?: number }} options
 */
export async function waitUntilReady(app, url, { signal, dataDir = '', patienceMs = PATIENCE_MS }) {
  const isReady = await waitUntil(
    async () => signal.aborted || (await answersOk(`${url}/api/v1/health/ready`)),
    patienceMs,
    50,
  );
  signal.throwIfAborted();
  if (isReady) return;
  throw new CannotContinue(
    `The ${app} was not ready after ${PATIENCE_MS / 1000} s: correct the problem that ${logFileOf(app, dataDir)} names and start again.`,
  );
}

async function answersOk(url) {
  try {
    return (await httpRequest(url, { timeoutMs: 2_000 })).status === 200;
  } catch {
    return false; // the app does not listen yet
  }
}
