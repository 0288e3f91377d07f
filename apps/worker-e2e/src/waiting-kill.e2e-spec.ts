import { randomUUID } from 'node:crypto';
import type { FlowAction, FlowTrigger } from '@millrace/domain';
import { builtInStep, codeStep, loop, pieceStep, webhookTrigger } from '@millrace/domain/testing';
import { ownRedisUrl, patience, ServiceProcess, type RunAnswer } from '@millrace/e2e-support';

// Runs pause, are resumed, wait for children and time out, while each process of the service is killed in turn.

const RUNS_OF_EACH_KIND = 50;
const KILLS = Number(process.env['MILLRACE_KILLS'] ?? 10);
const KILLING_MS = 10_000;
/** A run that two kills of its worker hit stands still for 30 s, which count. */
const FLOW_TIMEOUT_SECONDS = Math.ceil(45 * patience);
const ANSWERED_WITHIN_MS = 60_000 * patience;
const SETTLE_MS = 90_000 * patience;
/** Each takes about 14 s with its retries, and together they take longer than a run may take. */
const FAILING_STEPS = Array.from({ length: Math.ceil(4 * patience) }, (_, n) => n);
const APPS = ['worker', 'api', 'webhook-gateway'] as const;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The kind of a run: how its step waits, or that the run times out. */
type Kind = 'timer' | 'human' | 'child' | 'timeout';
const KINDS: readonly Kind[] = ['timer', 'human', 'child', 'timeout'];

interface RunsPage {
  data: { id: string; status: string; waitingOn?: { kind: string; requestId?: string } }[];
  next: string | null;
}

const numbered = (...steps: FlowAction[]): FlowTrigger =>
  webhookTrigger([...steps, codeStep('after', { n: '{{trigger.body.n}}' }, 'export const code = async ({ n }) => n;')]);

const CHILD: FlowTrigger = {
  ...webhookTrigger([
    builtInStep('nap', 'delay', 'delay_for', { unit: 'seconds', delayFor: 2 }),
    builtInStep('answer', 'subflows', 'return_response', { response: { doubled: '{{trigger.n * 2}}' } }),
  ]),
};

const flowOf = (kind: Kind, childId: string): FlowTrigger => {
  switch (kind) {
    case 'timer':
      return numbered(builtInStep('wait', 'delay', 'delay_for', { unit: 'seconds', delayFor: 4 }));
    case 'human':
      return numbered(builtInStep('wait', 'approval', 'wait_for_approval'));
    case 'child': {
      const input = { flowId: childId, payload: { n: '{{trigger.body.n}}' }, waitForResponse: true };
      return numbered(builtInStep('wait', 'subflows', 'call_flow', input));
    }
    case 'timeout': {
      // The address refuses connections at once. The waits between the attempts take longer than a run may take.
      const input = { method: 'GET', url: 'http://127.0.0.1:9/' };
      const errorHandlingOptions = { retryOnFailure: { value: true }, continueOnFailure: { value: true } };
      return numbered(loop('each', FAILING_STEPS, [pieceStep('wait', input, { errorHandlingOptions })]));
    }
  }
};

const isEven = (n: number): boolean => n % 2 === 0;

const outputOf: Readonly<Record<Exclude<Kind, 'timeout'>, (n: number) => unknown>> = {
  timer: () => expect.anything(),
  human: (n) => ({ approved: isEven(n) }),
  child: (n) => ({ doubled: n * 2 }),
};

describe('kill -9 of every process while runs wait', () => {
  let service: ServiceProcess;
  let project: string;
  const flowIds = new Map<Kind | 'callee', string>();

  beforeAll(async () => {
    const redisUrl = ownRedisUrl(process.env);
    service = await ServiceProcess.start({
      SVC_FLOW_TIMEOUT_SECONDS: String(FLOW_TIMEOUT_SECONDS),
      ...(redisUrl ? { SVC_REDIS_URL: redisUrl } : {}),
    });
    project = await service.client.createProject('Waiting');
    const callee = await service.client.publishFlow(project, 'Callee', CHILD);
    flowIds.set('callee', callee.id);
    for (const kind of KINDS)
      flowIds.set(kind, (await service.client.publishFlow(project, kind, flowOf(kind, callee.id))).id);
  });

  afterAll(async () => {
    expect(await service.stop()).toBe(0);
  });

  /** Asks again until there is an answer, because a process that was just killed gives none. */
  async function untilAnswered<T>(ask: () => Promise<T | null>, withinMs: number): Promise<T> {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const answer = await ask().catch(() => null);
      if (answer !== null) return answer;
      if (Date.now() > deadline) throw new Error(`There was no answer within ${withinMs} ms.`);
      await pause(100);
    }
  }

  const idOf = (kind: Kind | 'callee'): string => flowIds.get(kind) ?? '';

  const start = (kind: Kind, n: number): Promise<string> => {
    const key = randomUUID();
    return untilAnswered(async () => {
      const answer = await service.client.sendWebhook(idOf(kind), { n }, { 'webhook-id': key });
      return answer.status === 200 ? answer.body.id : null;
    }, ANSWERED_WITHIN_MS);
  };

  const page = (flowId: string, status: string) =>
    untilAnswered(async () => {
      const path = `/flow-runs?projectId=${project}&flowId=${flowId}&status=${status}&limit=100`;
      const answer = await service.client.request<RunsPage>('GET', path);
      return answer.status === 200 ? answer.body.data : null;
    }, ANSWERED_WITHIN_MS);

  /** Answers each request of a person as soon as it exists, until all are answered. */
  async function answerAll(nOf: ReadonlyMap<string, number>, answered: Set<string>): Promise<void> {
    for (const { id, waitingOn } of await page(idOf('human'), 'PAUSED')) {
      const n = nOf.get(id);
      if (n === undefined || answered.has(id) || waitingOn?.requestId === undefined) continue;
      const path = `/flow-runs/${id}/requests/${waitingOn.requestId}/sync`;
      const answer = await service.client
        .withToken(null)
        .request('POST', path, { approved: isEven(n) })
        .catch(() => null);
      if (answer?.status === 200) answered.add(id);
    }
  }

  it(
    'every run ends as it should, once, and none is stuck',
    async () => {
      const started = new Map<string, { kind: Kind; n: number }>();
      const humans = new Map<string, number>();
      const answered = new Set<string>();

      const starting = Promise.all(
        KINDS.map(async (kind) => {
          for (let n = 0; n < RUNS_OF_EACH_KIND; n++) {
            const runId = await start(kind, n);
            started.set(runId, { kind, n });
            if (kind === 'human') humans.set(runId, n);
            await pause((KILLING_MS / RUNS_OF_EACH_KIND) * Math.random());
          }
        }),
      );
      let killing = true;
      const answering = (async () => {
        while (killing) {
          await answerAll(humans, answered);
          await pause(200);
        }
      })();
      for (let kill = 0; kill < KILLS; kill++) {
        await pause(KILLING_MS / KILLS);
        service.kill(APPS[kill % APPS.length] ?? 'worker');
      }
      await starting;
      killing = false;
      const deadline = Date.now() + SETTLE_MS;
      await answering;

      expect(started.size).toBe(KINDS.length * RUNS_OF_EACH_KIND);
      let unfinished: string[];
      do {
        await answerAll(humans, answered); // an answer may count although its sender got no response
        await pause(500);
        const pages = await Promise.all(
          [...flowIds.values()].flatMap((flowId) => ['RUNNING', 'PAUSED'].map((status) => page(flowId, status))),
        );
        unfinished = pages.flat().map(({ id }) => id);
      } while (unfinished.length > 0 && Date.now() < deadline);
      const stuck = unfinished.map((id) => service.client.must<RunAnswer>('GET', `/flow-runs/${id}`));
      expect(await Promise.all(stuck)).toEqual([]);

      for (const [runId, { kind, n }] of started) {
        const run = await service.client.must<RunAnswer>('GET', `/flow-runs/${runId}`);
        if (kind === 'timeout') {
          expect({ kind, n, status: run.status }).toEqual({ kind, n, status: 'TIMEOUT' });
        } else {
          expect({ kind, n, status: run.status }).toEqual({ kind, n, status: 'SUCCEEDED' });
          expect(run.steps?.['wait']).toMatchObject({ status: 'SUCCEEDED', output: outputOf[kind](n) });
          expect(run.steps?.['after']?.output).toBe(n);
          expect(run.stepsCount).toBe(2);
        }
      }
      expect(await page(idOf('callee'), 'SUCCEEDED')).toHaveLength(RUNS_OF_EACH_KIND);
    },
    KILLING_MS + SETTLE_MS + 120_000 * patience,
  );
});
