/**
 * One proof, on one queue: it starts a service, sends webhooks, injects faults meanwhile, waits until all has settled,
 * and judges what was seen from outside.
 */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CannotContinue, say } from '../progress.mjs';
import { waitUntil } from '../running-processes.mjs';
import { makeThrowAwayFolder, removeThrowAwayFolder } from '../testing/throw-away.mjs';
import { injectFault } from './faults/inject.mjs';
import { scheduleOf, sentenceOf } from './faults/schedule.mjs';
import { Audit } from './ledger/audit.mjs';
import { findRuns, findWrongRuns } from './ledger/found-runs.mjs';
import { judge } from './ledger/ledger.mjs';
import { recoveries } from './ledger/recovery.mjs';
import { EffectsServer } from './load/effects-server.mjs';
import { KINDS } from './load/kinds.mjs';
import { publishFlows } from './load/publish.mjs';
import { Sender } from './load/sender.mjs';
import { longStep } from './long-step.mjs';
import { watchMemory } from './stack/memory-peaks.mjs';
import { SmallDisk } from './stack/small-disk.mjs';
import { Stack } from './stack/stack.mjs';

const SHOWN_EVERY_MS = 5_000;
/** How long all runs may take to end after the last webhook. A run that waits for its lease and its turn needs a minute. */
const SETTLES_WITHIN_MS = 300_000;

/**
 * @typedef {object} Plan
 * @property {'postgres' | 'redis'} queue
 * @property {number} seed
 * @property {number} webhooks
 * @property {number} rate webhooks a second
 * @property {number} faults
 * @property {string[]} [kinds] only faults of these kinds
 * @property {number} readBack how many runs are compared with their webhooks
 */

/**
 * @param {Plan} plan
 * @param {{ root: string, stop: AbortController, hurry: AbortSignal }} start
 */
export async function prove(plan, { root, stop, hurry }) {
  const folder = makeThrowAwayFolder();
  const undo = [() => removeThrowAwayFolder(folder)];
  try {
    const place = join(folder, 'disk');
    mkdirSync(place);
    const disk = SmallDisk.mount(place);
    const stack = await Stack.start({
      root,
      folder: place,
      queue: plan.queue,
      disk,
      signal: stop.signal,
      onHopeless: (error) => stop.abort(error),
    });
    let endedBadly = [];
    undo.push(async () => (endedBadly = await stack.stop(hurry)));
    const seen = await proveOn(stack, plan, stop.signal, undo);
    for (const step of undo.splice(1).reverse()) await step();
    const problems = [...seen.problems, ...endedBadly.map((each) => `At the end ${each}.`)];
    if (problems.length > 0) keepLogs(stack, join(root, 'dist/chaos-logs'));
    return { ...seen, problems };
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

async function proveOn(stack, plan, signal, undo) {
  const effects = await EffectsServer.start();
  undo.push(() => effects.stop());
  const flows = await publishFlows(stack, effects);
  const audit = new Audit(stack.postgres.url);
  undo.push(() => audit.stop());
  const memory = watchMemory(() => stack.pids());
  undo.push(() => void memory.stop());

  const { faults, webhooks } = await load(stack, plan, { flows, audit, signal });
  say('All webhooks are answered and all faults are over; waiting until all runs have ended.');
  await waitUntil(async () => signal.aborted || (await audit.hasSettled(flows.projectId)), SETTLES_WITHIN_MS, 250);
  throwIfAborted(signal);
  say('Reading all runs; a worker is killed in a long step meanwhile.');
  const [slow, { runs, wrongRuns }] = await Promise.all([
    longStep(stack, effects, flows), // it waits for a lease most of the time, and is a run of another project
    readAll(stack, plan, { audit, projectId: flows.projectId, webhooks }),
  ]);
  const memoryPeaks = memory.stop();
  const { figures, problems } = judge({
    webhooks,
    runs,
    calls: effects.calls,
    faults,
    changed: audit.changed,
    wrongRuns,
  });
  const recovered = recoveries({ faults, webhooks, ended: audit.ended, waits: (kind) => KINDS[kind].waits === true });
  return {
    plan,
    figures: { ...figures, ...endingsOf(stack), slowest: slowestOf(webhooks, audit.ended) },
    faults: faults.map((fault, index) => ({ ...fault, ...recovered[index] })),
    leftOut: leftOut(stack),
    longStep: slow,
    memoryPeaks,
    problems: [
      ...problems,
      ...(slow.problem ? [`A worker killed in a long step: ${slow.problem}.`] : []),
      ...unexpectedEndings(stack).map(({ name, pid, how }) => `The ${name} (process ${pid}) ended by itself: ${how}.`),
    ],
  };
}

async function readAll(stack, { readBack: amount, seed }, { audit, projectId, webhooks }) {
  const runs = await findRuns({ audit, stack, projectId, webhooks });
  const wrongRuns = await findWrongRuns({ stack, webhooks, amount, seed });
  return { runs, wrongRuns };
}

/** Keeps what the apps logged, because the folder of the proof is removed. */
function keepLogs({ folder, apps }, to) {
  rmSync(to, { recursive: true, force: true });
  for (const name of apps.keys()) cpSync(join(folder, 'data', name, 'logs'), join(to, name), { recursive: true });
  say(`What the apps logged is in ${to}.`);
}

/** Sends all webhooks and injects all faults. */
async function load(stack, plan, { flows, audit, signal }) {
  const has = new Set([...(stack.redis ? ['redis'] : []), ...(stack.disk ? ['small disk'] : [])]);
  const schedule = scheduleOf({ ...plan, has });
  const sender = new Sender({ ...plan, amount: plan.webhooks, flowIds: flows.flowIds, gateways: stack.gateways });
  sender.onAcknowledged = (runId) => audit.watch(runId);
  signal.addEventListener('abort', () => sender.stop(), { once: true });
  const progress = setInterval(() => say(progressOf(sender, audit)), SHOWN_EVERY_MS);
  try {
    const sending = sender.sendAll();
    const faults = await injectAll(schedule, stack, sender, signal);
    await sending;
    await sender.answered();
    throwIfAborted(signal);
    return { faults, webhooks: sender.webhooks };
  } finally {
    sender.stop();
    clearInterval(progress);
  }
}

async function injectAll(schedule, stack, sender, signal) {
  const happened = [];
  for (const [index, fault] of schedule.entries()) {
    await sender.sent(fault.afterWebhook);
    sender.nextFaultAfter = schedule[index + 1]?.afterWebhook ?? Infinity;
    throwIfAborted(signal);
    say(`Fault ${fault.number} of ${schedule.length}: ${sentenceOf(fault)} …`);
    const seen = await injectFault(fault, stack);
    const seconds = ((seen.readyAgain - seen.lifted) / 1_000).toFixed(1);
    say(`Fault ${fault.number}: ${seen.problem ?? seen.proof}; all processes were ready ${seconds} s later.`);
    happened.push(seen);
  }
  return happened;
}

function progressOf({ webhooks, amount, open }, audit) {
  const told = webhooks.filter(({ outcome }) => outcome === 'acknowledged').length;
  return `${webhooks.length} of ${amount} webhooks sent, ${told} acknowledged, ${open} open; ${audit.open} runs under way.`;
}

function throwIfAborted(signal) {
  if (!signal.aborted) return;
  throw signal.reason instanceof CannotContinue ? signal.reason : new CannotContinue('The proof was interrupted.');
}

/** How often processes ended, by a fault and without one. */
function endingsOf(stack) {
  const ended = [...stack.apps.values()].flatMap((app) => app.endings).length;
  const byThemselves = unexpectedEndings(stack).length;
  return { processesEnded: ended - byThemselves, processesEndedByThemselves: byThemselves };
}

const unexpectedEndings = (stack) =>
  [...stack.apps].flatMap(([name, { endings }]) =>
    endings.filter(({ expected }) => !expected).map((ending) => ({ name, ...ending })),
  );

/** How long the slowest run of each kind took, from its acknowledgement to its ending, in milliseconds. */
function slowestOf(webhooks, ended) {
  const slowest = {};
  for (const { kind, runId, answeredAt } of webhooks) {
    const { seenAt } = ended.get(runId) ?? {};
    if (answeredAt && seenAt) slowest[kind] = Math.max(slowest[kind] ?? 0, seenAt - answeredAt);
  }
  return slowest;
}

function leftOut({ redis, disk }) {
  return [
    ...(redis ? [] : ['the faults of Redis, which this proof does not have']),
    ...(disk ? [] : ['the full disk, because nothing can be mounted here']),
  ];
}
