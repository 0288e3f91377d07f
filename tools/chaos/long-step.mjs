/**
 * Measures how soon a run goes on whose worker is killed in a step of 60 s, and how soon a cancel ends that step. The
 * step calls a server that never answers, so the server sees both from outside.
 */
import { httpRequest } from '../start/http-request.mjs';
import { waitUntil } from '../running-processes.mjs';
import { APPS } from './faults/schedule.mjs';

/** A busy machine may take so long to execute a run. */
const BEGINS_WITHIN_MS = 180_000;
/** After this time the step would be over without us. */
const STEP_ENDS_MS = 55_000;
/** How soon a killed worker's call is seen to have ended. */
const SEEN_WITHIN_MS = 2_000;

/**
 * @param {import('./stack/stack.mjs').Stack} stack
 * @param {import('./load/effects-server.mjs').EffectsServer} effects
 * @param {{ longStepId: string, longStepProjectId: string }} published
 * @returns {Promise<{ goesOnAfterMs: number, cancelledAfterMs: number, problem?: string }>}
 */
export async function longStep(stack, effects, { longStepId, longStepProjectId: projectId }) {
  const nothing = { goesOnAfterMs: Infinity, cancelledAfterMs: Infinity };
  const url = `${stack.gateways[0].url}/api/v1/webhooks/${longStepId}`;
  const { id } = JSON.parse((await httpRequest(url, { method: 'POST', timeoutMs: 30_000 })).text);
  if (!(await waitUntil(() => effects.held.length > 0, BEGINS_WITHIN_MS)))
    return { ...nothing, problem: `the step of 60 s of run ${id} did not begin` };

  const killedAt = await killWorkerIn(stack, effects.held[0]);
  if (!(await waitUntil(() => effects.held.length > 1, BEGINS_WITHIN_MS)))
    return { ...nothing, problem: `run ${id}, whose worker was killed, did not go on` };
  const goesOnAfterMs = effects.held[1].at - killedAt;

  const cancelAt = Date.now();
  await stack.call('POST', '/flow-runs/cancel', { projectId, flowRunIds: [id] });
  const isOver = await waitUntil(() => effects.held[1].leftAt > 0, STEP_ENDS_MS);
  if (!isOver) return { ...nothing, goesOnAfterMs, problem: `the step of run ${id} went on after a cancel` };
  const { status } = await stack.call('GET', `/flow-runs/${id}`);
  const problem = problemOf(id, status, effects.held);
  return { goesOnAfterMs, cancelledAfterMs: effects.held[1].leftAt - cancelAt, ...(problem && { problem }) };
}

/** Kills workers until the one is hit that makes the call. @returns when that was */
async function killWorkerIn(stack, call) {
  for (const name of Object.keys(APPS).filter((each) => APPS[each] === 'worker')) {
    const at = Date.now();
    stack.app(name).signal('SIGKILL');
    if (await waitUntil(() => call.leftAt > 0, SEEN_WITHIN_MS)) return at;
  }
  return Date.now();
}

function problemOf(id, status, held) {
  if (status !== 'STOPPED') return `run ${id} was cancelled and is ${status}`;
  if (held.length > 2) return `the step of run ${id} was begun ${held.length} times for one kill`;
  if (new Set(held.map(({ key }) => key)).size > 1) return `the step of run ${id} was repeated with another key`;
  return undefined;
}
