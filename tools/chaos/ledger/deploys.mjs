/**
 * A rolling deploy takes nothing away from senders: the first try of each webhook that is sent meanwhile is acknowledged.
 * A try whose connection broke, because its gateway was stopped, is excused when the webhook was acknowledged at a later
 * one.
 */

/** These errors say that a connection that was open has broken. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'socket hang up']);

/**
 * @param {{ faults: import('./ledger.mjs').Fault[], webhooks: import('./ledger.mjs').Webhook[] }} seen
 * @returns {string[]} the webhooks that a rolling deploy did not take, each with what its sender was told
 */
export function notTakenByDeploys({ faults, webhooks }) {
  const deploys = faults.filter(({ kind }) => kind === 'rolling-deploy');
  return webhooks
    .filter(({ sentAt = NaN }) => deploys.some(({ began, lifted }) => sentAt >= began && sentAt <= lifted))
    .filter((webhook) => !isTaken(webhook))
    .map(({ number, tries = [] }) => `number ${number} (${tries[0]?.why})`);
}

/** @param {import('./ledger.mjs').Webhook} webhook */
function isTaken({ outcome, tries = [] }) {
  const [first] = tries;
  if (!first || first.outcome === 'acknowledged') return true;
  return BROKEN.has(first.why) && outcome === 'acknowledged';
}
