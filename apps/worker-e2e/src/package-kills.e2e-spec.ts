import type { ServerResponse } from 'node:http';
import { webhookTrigger } from '@millrace/domain/testing';
import { patience } from '@millrace/e2e-support';
import { answerJson, CalledServer } from './testing/called-server';
import { callingStep, installCallingPackage } from './testing/calling-package';
import { commandLines } from './testing/command-lines';
import { ServiceWithTargets } from './testing/service-with-targets';
import { until } from './testing/until';

const KILLS = Number(process.env['MILLRACE_KILLS'] ?? 3);
/** Each worker makes so many calls before it is killed. */
const CALLS_BETWEEN_KILLS = [20, 60] as const;
const MOST_MS_BETWEEN_KILLS = 30_000;
const MS_BETWEEN_RUNS = 50;
/** No further run is sent while so many have not called yet: a slow machine would get more than it executes in time. */
const MOST_WAITING_RUNS = 60;
/** A call of a worker may come so long after the worker was killed. It is repeated seconds later, when the lease is over. */
const CALL_ARRIVES_MS = 5_000;
const MOST_ANSWER_MS = 300;
/** How many runs call at each kill of the second test. They are fewer than the hosts of a project. */
const RUNS_HIT = 3;
const SETTLE_MS = 90_000 * patience;

jest.setTimeout((KILLS * MOST_MS_BETWEEN_KILLS + 4 * SETTLE_MS) * patience);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe('a worker that is killed while it runs an action of a package', () => {
  let targets: ServiceWithTargets;
  let server: CalledServer;
  /** When the calls of each run came. */
  const callsOf = new Map<string, number[]>();
  const killedAt: number[] = [];
  let received = 0;
  let killAt = { received: Infinity, now: (): void => undefined };

  beforeAll(async () => {
    server = await CalledServer.start();
    // Several calls are under way at each kill.
    server.on('/effect', (answer, { headers }) => {
      const runId = String(headers['idempotency-key']);
      callsOf.set(runId, [...(callsOf.get(runId) ?? []), performance.now()]);
      if (++received >= killAt.received) killAt.now();
      setTimeout(() => answerJson(answer, { ok: true }), MOST_ANSWER_MS * Math.random());
    });
    targets = await ServiceWithTargets.start();
    await installCallingPackage(targets.service.client);
  });

  afterAll(async () => {
    await server.stop();
    expect(await targets.service.stop()).toBe(0);
  });

  const killsBetween = (times: readonly number[]): number =>
    killedAt.filter((at) => at > (times[0] ?? 0) - CALL_ARRIVES_MS && at < (times.at(-1) ?? 0)).length;

  it('loses no run, repeats an effect at most once for each kill, and leaves no process', async () => {
    const { client } = targets.service;
    const trigger = webhookTrigger([callingStep(`${server.baseUrl}/effect`)]);
    const { id: flowId } = await client.publishFlow(targets.project, 'Packages', trigger);
    await client.endedRun((await client.sendWebhook(flowId, {})).body.id, SETTLE_MS);
    const acknowledged: string[] = [];
    const killed: number[] = [];
    let isOver = false;
    const sending = (async () => {
      while (!isOver) {
        await pause(MS_BETWEEN_RUNS);
        if (acknowledged.length - callsOf.size >= MOST_WAITING_RUNS) continue;
        const { status, body } = await client.sendWebhook(flowId, {});
        if (status === 200) acknowledged.push(body.id);
      }
    })();

    for (let kill = 0; kill < KILLS; kill++) {
      const [least, most] = CALLS_BETWEEN_KILLS;
      await new Promise<void>((now) => {
        killAt = { received: received + least + Math.random() * (most - least), now };
      });
      const pid = targets.service.pidOf('worker');
      killedAt.push(performance.now());
      if (pid !== null && targets.service.kill('worker')) killed.push(pid);
    }
    isOver = true;
    await sending;

    expect(killed.length).toBeGreaterThan(0);
    const endings = [];
    for (const runId of acknowledged) endings.push(await client.endedRun(runId, SETTLE_MS));
    const notSucceeded = endings.filter(({ status }) => status !== 'SUCCEEDED');
    // Of many kills, some hit one run again and again. It is taken for their cause then, as it is meant to be.
    const isTakenForCause = (reason: unknown): boolean =>
      KILLS >= 5 && String(reason).includes('its worker ended 5 times');
    expect(notSucceeded.filter(({ statusReason }) => !isTakenForCause(statusReason))).toEqual([]);
    expect(acknowledged.filter((runId) => !callsOf.has(runId))).toEqual([]);
    const repeats = [...callsOf.values()].map((times) => times.length - 1);
    console.log(
      `${killed.length} kills, ${acknowledged.length} runs, ${sum(repeats)} effects repeated, ` +
        `one of them ${Math.max(...repeats)} times, ${notSucceeded.length} runs given up.`,
    );
    expect([...callsOf].filter(([, times]) => times.length - 1 > killsBetween(times))).toEqual([]);
    expect(hostsOf(killed)).toEqual([]);
  });

  it('repeats each effect that it hits once at most', async () => {
    const { client } = targets.service;
    const trigger = webhookTrigger([callingStep(`${server.baseUrl}/hit`)]);
    const { id: flowId } = await client.publishFlow(targets.project, 'Hit', trigger);
    let held: ServerResponse[] | null = null;
    server.on('/hit', (answer) => (held ? void held.push(answer) : answerJson(answer, { ok: true })));
    const killed: number[] = [];
    let runs = 0;

    for (let kill = 0; kill < KILLS; kill++) {
      const hit: ServerResponse[] = (held = []);
      const sent = await Promise.all(Array.from({ length: RUNS_HIT }, () => client.sendWebhook(flowId, {})));
      await until('The calls', async () => hit.length === RUNS_HIT || undefined);
      killed.push(targets.service.pidOf('worker') ?? 0);
      expect(targets.service.kill('worker')).toBe(true);
      held = null;
      for (const { body } of sent) {
        const { status } = await client.endedRun(body.id, SETTLE_MS);
        if (status === 'SUCCEEDED') runs++;
      }
    }

    const calls = [...server.callsByKey('/hit').values()];
    console.log(
      `${KILLS} kills hit ${calls.length} effects, of which each was called ${Math.max(...calls)} times at most.`,
    );
    expect([runs, calls.length, Math.max(...calls)]).toEqual([KILLS * RUNS_HIT, KILLS * RUNS_HIT, 2]);
    expect(hostsOf(killed)).toEqual([]);
  });

  /** The processes of packages that these workers left. */
  const hostsOf = (workers: readonly number[]): string[] =>
    commandLines().filter((line) => workers.some((pid) => line.includes(`piece-host-${pid}-`)));
});
