/**
 * Makes a flow and publishes it. Returns its id.
 * @param {import('./bench-console.mjs').Call} call
 * @param {{ projectId: string, displayName: string, trigger: object }} flow
 * @returns {Promise<string>}
 */
export async function publishFlow(call, { projectId, displayName, trigger }) {
  const { id } = await call('POST', '/flows', { projectId, displayName });
  const request = { displayName, trigger, schemaVersion: '20', notes: [] };
  await call('POST', `/flows/${id}`, { type: 'IMPORT_FLOW', request });
  await call('POST', `/flows/${id}`, { type: 'LOCK_AND_PUBLISH', request: {} });
  return id;
}
