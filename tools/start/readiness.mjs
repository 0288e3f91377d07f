/** Waits until an app says that it is ready. */
import { logFileOf } from './app-process.mjs';
import { CannotGoOn } from '../progress.mjs';
import { httpRequest } from './http-request.mjs';
import { waitUntil } from '../running-processes.mjs';

const PATIENCE_MS = 120_000;

export async function waitUntilReady(app, url, { dataDir, signal }) {
  const isReady = await waitUntil(
    async () => signal.aborted || (await answersOk(`${url}/api/v1/health/ready`)),
    PATIENCE_MS,
    50,
  );
  signal.throwIfAborted();
  if (isReady) return;
  throw new CannotGoOn(
    `The ${app} was not ready after ${PATIENCE_MS / 1000} s: read ${logFileOf(app, dataDir)}, correct what it names and start again.`,
  );
}

async function answersOk(url) {
  try {
    return (await httpRequest(url, { timeoutMs: 2_000 })).status === 200;
  } catch {
    return false; // not listening yet
  }
}
