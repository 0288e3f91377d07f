/**
 * Judges the effects that came more than once. A repeat is excused by a fault that can have interrupted the run: one
 * that struck a worker, a store, or the network between them. A fault of an api or a gateway executes nothing, and
 * excuses nothing.
 *
 * A fault is at work from its beginning until all processes are ready again, because a database that answers us may
 * still be away for a worker. It excuses one repeat of each effect of which a call came before that moment, and the
 * last call after its beginning. A worker that stood still may not make its call when the fault is over: it has to ask
 * first whether the run is still its own. So it excuses nothing that a run was in the system during the fault.
 */
import { APPS } from '../faults/schedule.mjs';

/**
 * @typedef {import('./ledger.mjs').Fault} Fault
 * @typedef {import('./ledger.mjs').Webhook} Webhook
 */

/**
 * @param {object} seen
 * @param {Map<string, { at: number }[]>} seen.effects the calls of each key, in their order
 * @param {Fault[]} seen.faults
 * @param {(key: string) => Webhook | undefined} seen.webhookOf
 * @param {number} seen.start times are told from here
 * @returns {string[]} what is known of each effect that was repeated more often than faults explain
 */
export function unexplainedRepeats({ effects, faults, webhookOf, start }) {
  const interrupting = faults.filter(interruptsRuns);
  return [...effects]
    .filter(([, calls]) => calls.length - 1 > faultsDuring(calls, interrupting))
    .map(([key, calls]) => `${key} (${storyOf(calls, webhookOf(key), start)})`);
}

/** When each fault was at work, as a sentence. */
export const windowsOf = (faults, start) =>
  `The faults were at work: ${faults
    .map((fault) => `${fault.number} from ${time(fault.began, start)} to ${time(endOf(fault), start)}`)
    .join(', ')}.`;

/** @param {Fault} fault */
const interruptsRuns = ({ kind, target }) =>
  kind !== 'shift-clock' && (target === undefined || target === 'redis' || APPS[target] === 'worker');

/** @param {Fault} fault */
const endOf = ({ lifted, readyAgain = 0 }) => Math.max(lifted, readyAgain);

/** How many faults were at work at some moment between the first and the last of these calls. */
function faultsDuring(calls, faults) {
  const [first, last] = [calls[0].at, calls[calls.length - 1].at];
  return faults.filter((fault) => fault.began <= last && endOf(fault) >= first).length;
}

function storyOf(calls, webhook, start) {
  const { sentAt, answeredAt } = webhook ?? {};
  return [
    ...(sentAt === undefined ? [] : [`webhook sent at ${time(sentAt, start)}`]),
    ...(answeredAt === undefined ? [] : [`acknowledged at ${time(answeredAt, start)}`]),
    `called at ${calls.map(({ at }) => time(at, start)).join(' and ')}`,
  ].join(', ');
}

const time = (at, start) => `${((at - start) / 1_000).toFixed(3)} s`;
