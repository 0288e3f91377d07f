/**
 * Makes a fault happen, and proves that it did. Each kind is a function that resolves when the fault is over, with one
 * clause that says what shows that it happened. It throws NotProven when nothing does.
 */
import pg from 'pg';
import { pause, waitUntil } from '../../running-processes.mjs';
import { stateOf } from '../stack/process-state.mjs';
import { sentenceOf } from './schedule.mjs';

/** How long a fault may take to show. */
const SHOWS_WITHIN_MS = 60_000;
const CLOCK_TOLERANCE_MS = 5_000;
const MS_PER_MINUTE = 60_000;

export class NotProven extends Error {}

/**
 * Injects the fault and waits until all apps and stores are ready again.
 * @param {ReturnType<typeof import('./schedule.mjs').scheduleOf>[number]} fault
 * @param {import('../stack/stack.mjs').Stack} stack
 */
export async function injectFault(fault, stack) {
  const happened = { ...fault, sentence: sentenceOf(fault), began: Date.now(), lifted: 0, readyAgain: 0 };
  try {
    const proof = await KINDS[fault.kind](fault, stack);
    return await recovered({ ...happened, proof, lifted: Date.now() }, stack);
  } catch (error) {
    if (!(error instanceof NotProven)) throw error;
    return await recovered({ ...happened, lifted: Date.now(), problem: error.message }, stack);
  }
}

async function recovered(happened, stack) {
  const unready = await stack.untilReady();
  const problem = unready.length === 0 ? undefined : `${unready.join(', ')} did not get ready again`;
  return { ...happened, readyAgain: Date.now(), ...(problem && { problem }) };
}

/** @type {Record<string, (fault: any, stack: import('../stack/stack.mjs').Stack) => Promise<string>>} */
const KINDS = {
  kill: async ({ target }, stack) => {
    const app = stack.app(target);
    const pid = app.signal('SIGKILL');
    await shows(
      stack,
      () => app.endingOf(pid)?.how === 'SIGKILL' && isAnother(app.pid, pid),
      `process ${pid} lives on`,
    );
    return `process ${pid} ended by SIGKILL, ${app.pid} took its place`;
  },

  freeze: async ({ target, seconds }, stack) => {
    const pid = target === 'redis' ? stack.redis.pid : stack.app(target).pid;
    process.kill(pid, 'SIGSTOP');
    await shows(stack, () => stateOf(pid) === 'T', `process ${pid} does not stand still`);
    await pause(seconds * 1_000);
    const stoodStill = stateOf(pid) === 'T';
    process.kill(pid, 'SIGCONT');
    if (!stoodStill) throw new NotProven(`process ${pid} did not stand still to the end`);
    await shows(stack, () => stateOf(pid) !== 'T', `process ${pid} does not go on`);
    return `process ${pid} was in state T for ${seconds} s, and goes on`;
  },

  'rolling-deploy': async (_fault, stack) => {
    const names = [...stack.apps.keys()];
    for (const name of names) await redeploy(stack.app(name), stack);
    return `${names.length} apps ended with code 0, one after the other, and others took their places`;
  },

  'restart-postgres': (_fault, stack) => endPostgres(stack, 'SIGQUIT'),
  'kill-postgres': (_fault, stack) => endPostgres(stack, 'SIGKILL'),

  'kill-redis': async (_fault, stack) => {
    const pid = stack.redis.pid;
    process.kill(pid, 'SIGKILL');
    await shows(stack, () => isAnother(stack.redis.pid, pid) && stack.redis.isReady(), `Redis ${pid} was not replaced`);
    return `process ${pid} gone, ${stack.redis.pid} took its place`;
  },

  'empty-redis': async (_fault, stack) => {
    const answers = await stack.redis.withPrimary((redis) => redis.multi().dbsize().flushall().dbsize().exec());
    const [before, , after] = answers.map(([, answer]) => answer);
    if (!(before > 0 && after === 0)) throw new NotProven(`Redis had ${before} keys before, and ${after} afterwards`);
    return `${before} keys before, none afterwards`;
  },

  'fail-over-redis': async (_fault, stack) => {
    const former = await roleOf(stack.redis);
    await stack.redis.failOver();
    // As a Sentinel does, the apps' connections are ended, so that they find the new primary.
    for (const network of stack.networksOf({ store: 'redis' })) network.reset();
    await shows(stack, () => stack.redis.isReady(), 'the replica does not answer');
    const next = await roleOf(stack.redis);
    if (next.id === former.id || next.role !== 'master') throw new NotProven(`the primary is still ${former.id}`);
    return `primary ${former.id.slice(0, 8)} gone, its replica ${next.id.slice(0, 8)} took its place`;
  },

  'cut-store': ({ store, seconds }, stack) => cut(stack.networksOf({ store }), seconds),
  'cut-app': ({ target, seconds }, stack) => cut(stack.networksOf({ app: target }), seconds),

  delay: async ({ store, milliseconds, seconds }, stack) => {
    const networks = stack.networksOf({ store });
    startCounting(networks);
    for (const network of networks) network.slowDown(milliseconds);
    await pause(seconds * 1_000);
    for (const network of networks) network.heal();
    return counted(networks, ({ delayed }) => delayed, 'bytes came later');
  },

  reset: async ({ store }, stack) => {
    const networks = stack.networksOf({ store });
    startCounting(networks);
    for (const network of networks) network.reset();
    return counted(networks, ({ reset }) => reset, 'connections reset');
  },

  'fill-disk': async ({ seconds }, stack) => {
    const bytes = stack.disk.fill();
    const error = stack.disk.tryToWrite();
    await pause(seconds * 1_000);
    stack.disk.free();
    if (error !== 'ENOSPC') throw new NotProven(`a file could be written to the full disk (${error ?? 'no error'})`);
    return `no byte free beside ${Math.round(bytes / 1_024 / 1_024)} MB, and a write failed with ENOSPC`;
  },

  'shift-clock': async ({ minutesAhead, seconds }, stack) => {
    const shifted = Object.entries(minutesAhead).map(([name, minutes]) => ({
      app: stack.app(name),
      offsetMs: minutes * MS_PER_MINUTE,
    }));
    const told = [];
    for (const { app, offsetMs } of shifted) told.push((await app.shiftClock(offsetMs)) - Date.now());
    await pause(seconds * 1_000);
    for (const { app } of shifted) await app.shiftClock(0);
    const wrong = told.findIndex((shift, n) => Math.abs(shift - shifted[n].offsetMs) > CLOCK_TOLERANCE_MS);
    if (wrong >= 0) throw new NotProven(`the clock of ${shifted[wrong].app.name} was ${told[wrong]} ms off`);
    return `they said times ${told.map((shift) => Math.round(shift / 1_000)).join(', ')} s from ours`;
  },
};

async function shows({ signal }, isSo, otherwise) {
  const isSoNow = await waitUntil(async () => signal.aborted || (await isSo()), SHOWS_WITHIN_MS);
  if (!isSoNow) throw new NotProven(otherwise);
}

const isAnother = (pid, former) => pid !== undefined && pid !== former;

async function redeploy(app, stack) {
  const pid = app.signal('SIGTERM');
  await shows(stack, () => app.endingOf(pid) && isAnother(app.pid, pid), `${app.name} (${pid}) did not end at SIGTERM`);
  const { how } = app.endingOf(pid);
  if (how !== 0) throw new NotProven(`${app.name} ended with ${how} at SIGTERM`);
  const unready = await stack.untilReady();
  if (unready.length > 0) throw new NotProven(`${unready.join(', ')} did not get ready in a rolling deploy`);
}

/** SIGQUIT is PostgreSQL's immediate shutdown. SIGKILL of the first process makes the others end by themselves. */
async function endPostgres(stack, signal) {
  const { postgres } = stack;
  const [pid, startedAt] = [postgres.pid(), await startOfPostgres(postgres.url)];
  process.kill(pid, signal);
  await shows(stack, () => isAnother(postgres.pid(), pid), `PostgreSQL (${pid}) was not replaced`);
  const startedAgainAt = await startOfPostgres(postgres.url);
  if (startedAgainAt === startedAt) throw new NotProven('PostgreSQL says that it runs since before the fault');
  return `process ${pid} gone, ${postgres.pid()} took its place, and pg_postmaster_start_time is another`;
}

async function startOfPostgres(url) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: SHOWS_WITHIN_MS });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query('select pg_postmaster_start_time()::text as at')).rows[0].at;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function roleOf(redis) {
  const text = await redis.withPrimary((connection) => connection.info());
  const valueOf = (name) => new RegExp(`^${name}:(\\S+)`, 'm').exec(text)?.[1] ?? '';
  return { id: valueOf('run_id'), role: valueOf('role') };
}

async function cut(networks, seconds) {
  startCounting(networks);
  for (const network of networks) network.cut();
  await pause(seconds * 1_000);
  for (const network of networks) network.heal();
  return counted(networks, ({ silenced, unanswered }) => silenced + unanswered, 'connections fell silent');
}

function startCounting(networks) {
  for (const network of networks) network.startCounting();
}

function counted(networks, countOf, what) {
  const count = networks.reduce((sum, { counts }) => sum + countOf(counts), 0);
  if (!(count > 0)) throw new NotProven(`no ${what}`);
  return `${Math.round(count).toLocaleString('en')} ${what}`;
}
