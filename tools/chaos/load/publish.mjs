/** Makes the flows of a proof. */
import { builtIn, trigger } from '../../flow-steps.mjs';
import { KINDS } from './kinds.mjs';

/** How long the call of the long step may take. It is never answered. */
const LONG_STEP_SECONDS = 60;

/** @returns {Promise<{ projectId: string, flowIds: Record<string, string>, longStepId: string,
 *   longStepProjectId: string }>} */
export async function publishFlows(stack, effects) {
  const { id: projectId } = await stack.call('POST', '/projects', { displayName: 'Chaos' });
  /** @type {Record<string, string>} */
  const flowIds = {};
  for (const [kind, { steps }] of Object.entries(KINDS))
    flowIds[kind] = await publish(stack, projectId, kind, steps(effects.url));
  const { id: longStepProjectId } = await stack.call('POST', '/projects', { displayName: 'A long step' });
  const longStepId = await publish(stack, longStepProjectId, 'long', longStep(effects.holdingUrl));
  return { projectId, flowIds, longStepId, longStepProjectId };
}

const longStep = (url) =>
  trigger(builtIn('long', 'http', 'send_request', { method: 'POST', url, timeoutSeconds: LONG_STEP_SECONDS }));

async function publish(stack, projectId, displayName, steps) {
  const { id } = await stack.call('POST', '/flows', { displayName, projectId });
  const request = { displayName, trigger: steps, schemaVersion: '20', notes: [] };
  await stack.call('POST', `/flows/${id}`, { type: 'IMPORT_FLOW', request });
  await stack.call('POST', `/flows/${id}`, { type: 'LOCK_AND_PUBLISH', request: {} });
  return id;
}
