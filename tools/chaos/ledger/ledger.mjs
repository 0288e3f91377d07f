/**
 * Judges what a proof has seen. It compares what senders were told, the runs that exist, the effects that the world
 * has seen, and the final statuses that were read while the faults happened.
 *
 * L1. A webhook that was acknowledged has its run, and no webhook has two. A webhook that was refused has none. Some of
 *     each kind, and all that senders repeat until they are taken, are acknowledged.
 * L2. Every run has ended, and well: no flow of a proof can fail by itself.
 * L3. Every effect of a run that succeeded has happened, and only for runs that exist.
 * L4. An effect that was repeated had the same key, and for each repetition a fault that can interrupt runs was at work
 *     between its first call and its last (`repeated-effects.mjs`).
 * L5. A status that was final when it was read has stayed the same.
 * L6. Every fault is proven to have happened.
 * L7. A rolling deploy refuses nothing (`deploys.mjs`).
 */
import { KINDS } from '../load/kinds.mjs';
import { notTakenByDeploys } from './deploys.mjs';
import { unexplainedRepeats, windowsOf } from './repeated-effects.mjs';

/**
 * @typedef {{ number: number, kind: string, outcome: string, keyed?: boolean, runId?: string, alsoRunId?: string,
 *   sentAt?: number, answeredAt?: number, tries?: { outcome: string, why: string }[] }} Webhook
 * A webhook that is `keyed` is repeated with its idempotency key until it is acknowledged.
 * `alsoRunId` is another run that a repetition of the same webhook was told.
 * @typedef {{ id: string, status: string, reason?: string | null, number?: number }} Run `number` is that of the webhook
 * in its payload. It is read only for runs that no acknowledgement names.
 * @typedef {{ key: string, number: number, at: number }} Call
 * @typedef {{ number: number, kind?: string, target?: string, sentence: string, began: number, lifted: number,
 *   readyAgain?: number, proof?: string, problem?: string }} Fault
 * `target` is the process that the fault strikes, if it strikes one.
 * @typedef {{ webhooks: Webhook[], runs: Run[], calls: Call[], faults: Fault[], changed: string[], wrongRuns: string[] }} Seen
 */

const MOST_NAMED = 5;

/** @param {Seen} seen */
export function judge(seen) {
  const book = bookOf(seen);
  const problems = [...intakeProblems(book), ...endingProblems(book), ...effectProblems(book)];
  for (const { number, sentence, problem, proof } of seen.faults)
    if (problem || !proof)
      problems.push(`Fault ${number} (${sentence}): ${problem ?? 'nothing shows that it happened'}.`);
  return { figures: figuresOf(book), problems };
}

/** Sorts what was seen, so that each rule can look things up. */
function bookOf({ webhooks, runs, calls, faults, changed, wrongRuns }) {
  const runById = new Map(runs.map((run) => [run.id, run]));
  const told = new Map(webhooks.flatMap((each) => (each.runId ? [[each.runId, each]] : [])));
  const byNumber = new Map(webhooks.map((each) => [each.number, each]));
  const webhookOfRun = (run) => told.get(run.id) ?? byNumber.get(run.number);
  const runsOfNumber = groupBy(runs, (run) => webhookOfRun(run)?.number);
  const effects = groupBy(calls, ({ key }) => key);
  return { webhooks, runs, faults, changed, wrongRuns, runById, webhookOfRun, runsOfNumber, effects };
}

function groupBy(values, keyOf) {
  const groups = new Map();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group) group.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return groups;
}

const isFinal = ({ status }) => status !== 'RUNNING' && status !== 'PAUSED';
const withOutcome = ({ webhooks }, wanted) => webhooks.filter(({ outcome }) => outcome === wanted);
const lostOf = (book) => withOutcome(book, 'acknowledged').filter(({ runId }) => !book.runById.has(runId));
const doubledOf = ({ webhooks, runsOfNumber }) =>
  webhooks.filter(({ number, alsoRunId }) => alsoRunId || (runsOfNumber.get(number)?.length ?? 0) > 1);
const stuckOf = ({ runs }) => runs.filter((run) => !isFinal(run));

function intakeProblems(book) {
  const { runs, runsOfNumber, webhookOfRun } = book;
  return [
    problem('acknowledged webhooks have no run', lostOf(book).map(nameOfWebhook)),
    problem('webhooks were never taken, though they were sent again and again', neverTaken(book).map(nameOfWebhook)),
    problem('kinds of webhooks were never taken', kindsNeverTaken(book)),
    problem('webhooks have several runs', doubledOf(book).map(nameOfWebhook)),
    problem(
      'refused webhooks have a run',
      withOutcome(book, 'refused')
        .filter(({ number }) => runsOfNumber.has(number))
        .map(nameOfWebhook),
    ),
    problem('webhooks were not taken in a rolling deploy', notTakenByDeploys(book)),
    problem('runs belong to no webhook', runs.filter((run) => !webhookOfRun(run)).map(nameOfRun)),
  ].flat();
}

const neverTaken = ({ webhooks }) => webhooks.filter(({ keyed, outcome }) => keyed && outcome !== 'acknowledged');

function kindsNeverTaken(book) {
  const taken = new Set(withOutcome(book, 'acknowledged').map(({ kind }) => kind));
  return [...new Set(book.webhooks.map(({ kind }) => kind))].filter((kind) => !taken.has(kind));
}

function endingProblems(book) {
  return [
    problem('runs have not ended', stuckOf(book).map(nameOfRun)),
    problem('runs ended badly', book.runs.filter((run) => isFinal(run) && run.status !== 'SUCCEEDED').map(nameOfRun)),
    problem('final statuses have changed', book.changed),
    problem('runs have other data than their webhook', book.wrongRuns),
  ].flat();
}

function effectProblems(book) {
  const { effects, runById } = book;
  const keys = [...effects.keys()];
  return [
    problem('effects of runs that succeeded are missing', missingEffects(book)),
    problem(
      'effects belong to no run',
      keys.filter((key) => !runById.has(runIdOf(key))),
    ),
    problem('effects have an unknown key', unknownEffects(book)),
    repeatProblems(book),
  ].flat();
}

function repeatProblems({ effects, faults, webhooks, runById, webhookOfRun }) {
  const start = webhooks[0]?.sentAt ?? 0;
  const webhookOf = (key) => {
    const run = runById.get(runIdOf(key));
    return run && webhookOfRun(run);
  };
  const names = unexplainedRepeats({ effects, faults, webhookOf, start });
  const told = problem('effects were repeated more often than faults explain', names);
  return told.map((sentence) => `${sentence} ${windowsOf(faults, start)}`);
}

const runIdOf = (key) => key.slice(0, key.indexOf(':'));
const keysOf = (run, kind) => (KINDS[kind]?.effects ?? []).map((path) => `${run.id}:${path}`);

function missingEffects({ runs, webhookOfRun, effects }) {
  return runs
    .filter(({ status }) => status === 'SUCCEEDED')
    .flatMap((run) => keysOf(run, webhookOfRun(run)?.kind).filter((key) => !effects.has(key)));
}

/** Keys that are not those of the steps, or came with the number of another webhook. So a repeat under another key is found. */
function unknownEffects({ effects, runById, webhookOfRun }) {
  return [...effects].flatMap(([key, calls]) => {
    const run = runById.get(runIdOf(key));
    const webhook = run && webhookOfRun(run);
    if (!webhook) return [];
    const isExpected = keysOf(run, webhook.kind).includes(key);
    return isExpected && calls.every(({ number }) => number === webhook.number) ? [] : [key];
  });
}

const nameOfWebhook = ({ number, runId }) => `number ${number}${runId ? ` (run ${runId})` : ''}`;
const nameOfRun = ({ id, status, reason }) => `${id} (${status}${reason ? `: ${reason}` : ''})`;

/** Makes a sentence that names the first few, or nothing when there are none. */
function problem(what, names) {
  if (names.length === 0) return [];
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return [`${names.length} ${what}: ${names.slice(0, MOST_NAMED).join(', ')}${more}.`];
}

function figuresOf(book) {
  const { webhooks, runs, effects, changed } = book;
  const times = [...effects.values()].map((calls) => calls.length);
  return {
    sent: webhooks.length,
    acknowledged: withOutcome(book, 'acknowledged').length,
    refused: withOutcome(book, 'refused').length,
    unknown: withOutcome(book, 'unknown').length,
    runs: runs.length,
    byStatus: Object.fromEntries([...groupBy(runs, ({ status }) => status)].map(([key, each]) => [key, each.length])),
    lost: lostOf(book).length,
    doubled: doubledOf(book).length,
    stuck: stuckOf(book).length,
    changed: changed.length,
    effects: effects.size,
    effectsRepeated: times.reduce((sum, count) => sum + count - 1, 0),
    mostCallsOfOneEffect: times.reduce((most, count) => Math.max(most, count), 0),
  };
}
