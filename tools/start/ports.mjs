/** Checks that a port can be used. Throws CannotContinue, which says what uses the port and what to do. */
import { createServer } from 'node:net';
import { CannotContinue } from '../progress.mjs';
import { waitUntil } from '../running-processes.mjs';
import { localUrl } from './settings.mjs';
import { httpRequest } from './http-request.mjs';

/** How long to wait for the port, because a service that was just killed still finishes its requests. */
const PATIENCE_MS = 5_000;

export async function ensurePortIsFree(variable, host, port) {
  let problem;
  const free = await waitUntil(
    async () => {
      problem = await tryToListen(host, port);
      return problem !== 'EADDRINUSE';
    },
    PATIENCE_MS,
    250,
  );
  if (!free)
    throw new CannotContinue(
      `Port ${port} is in use by ${await whoHas(host, port)}: stop it, or choose another port with ${variable}.`,
    );
  if (problem === 'EACCES')
    throw new CannotContinue(
      `Port ${port} needs more rights than this account has: choose one above 1023 with ${variable}.`,
    );
  if (problem)
    throw new CannotContinue(
      `This machine cannot listen on ${host}:${port} (${problem}): correct SVC_HOST or ${variable}.`,
    );
}

function tryToListen(host, port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe
      .once('error', (/** @type {NodeJS.ErrnoException} */ error) => resolve(error.code))
      .listen(port, host, () => probe.close(() => resolve(undefined)));
  });
}

async function whoHas(host, port) {
  try {
    const { status } = await httpRequest(`${localUrl(host, port)}/api/v1/health/live`, { timeoutMs: 1_000 });
    return status === 200 ? 'a Millrace that is already running' : 'another program';
  } catch {
    return 'another program';
  }
}
