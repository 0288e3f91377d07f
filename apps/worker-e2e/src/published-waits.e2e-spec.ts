import type { FlowAction } from '@millrace/domain';
import { builtInStep, builtInTrigger, pieceStep, webhookTrigger } from '@millrace/domain/testing';
import { patience, registryHas, type RunAnswer } from '@millrace/e2e-support';
import { WAIT_CASES } from './testing/package-cases/wait-cases';
import { renamedPackage } from './testing/renamed-package';
import { ServiceWithTargets } from './testing/service-with-targets';
import { until } from './testing/until';

const WITHIN_MS = 60_000 * patience;

jest.setTimeout(300_000 * patience);

const { delay } = WAIT_CASES;
const whereTheyAre = registryHas(`@activepieces/piece-${delay.piece}`, delay.version) ? describe : describe.skip;

whereTheyAre('published packages that wait (left out where the registry has none of them)', () => {
  let targets: ServiceWithTargets;

  beforeAll(async () => {
    targets = await ServiceWithTargets.start();
  });

  afterAll(async () => {
    expect(await targets.service.stop()).toBe(0);
  });

  const client = () => targets.service.client;

  /** Installs the package under a name of its own, since its own is that of a built-in piece, and makes a step of it. */
  async function step(name: keyof typeof WAIT_CASES, input: Record<string, unknown>) {
    const { piece, version, action } = WAIT_CASES[name];
    const pieceName = `@e2e/published-${name}`;
    const archive = await renamedPackage(`@activepieces/piece-${piece}@${version}`, pieceName);
    const answer = await client().request('POST', '/pieces/archives', archive, { 'content-type': 'application/gzip' });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([201, expect.stringContaining(pieceName)]);
    const made = pieceStep('act', input);
    return { ...made, settings: { ...made.settings, pieceName, pieceVersion: version, actionName: action } };
  }

  const outputOf = (run: RunAnswer): unknown => {
    expect([run.status, run.failedStep]).toEqual(['SUCCEEDED', undefined]);
    return run.steps?.['act']?.output;
  };

  it('delay: for a moment that it writes as a date of HTTP', async () => {
    const act = await step('delay', { unit: 'seconds', delayFor: 11 });
    const runId = await targets.start([act]);
    await until('The pause', async () => {
      const run = await client().must<RunAnswer>('GET', `/flow-runs/${runId}`);
      return run.status === 'PAUSED' || undefined;
    });

    expect(outputOf(await client().endedRun(runId, WITHIN_MS))).toEqual({ delayForInMs: 11_000, success: true });
  });

  it.each(['webhook-0', 'webhook-1'] as const)('%s: for the next request, at the URL in its answer', async (piece) => {
    const input = { responseType: 'json', fields: { status: 207, body: { next: true } } };
    const steps: FlowAction[] = [await step(piece, input)];
    const { id } = await client().publishFlow(targets.project, piece, webhookTrigger(steps));

    const answer = await fetch(`${client().baseUrl}/api/v1/webhooks/${id}/sync`, { method: 'POST' });
    const runId = String(answer.headers.get('x-webhook-id'));
    const goOnAt = String(answer.headers.get('x-activepieces-resume-webhook-url'));
    expect([answer.status, await answer.json()]).toEqual([207, { next: true }]);
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(goOnAt, { method: 'POST', headers, body: '{"n":1}' })).status).toBe(200);

    expect(outputOf(await client().endedRun(runId, WITHIN_MS))).toMatchObject({
      body: { n: 1 },
      queryParams: { runId },
    });
  });

  it('subflows: for the answer of a flow that it has called', async () => {
    const { id: callee } = await client().publishFlow(targets.project, 'Answers', {
      ...builtInTrigger('subflows', 'callable_flow'),
      nextAction: builtInStep('answer', 'http', 'send_request', {
        ...{ method: 'POST', url: '{{ trigger.callbackUrl }}', bodyType: 'json' },
        body: { status: 'success', data: { doubled: '{{ trigger.data.n * 2 }}' } },
      }),
    });
    const flow = { externalId: callee, exampleData: {} };
    const call = { flow, mode: 'simple', flowProps: { payload: { n: 21 } }, waitForResponse: true };

    const run = await targets.run([await step('subflows', call)]);

    expect(outputOf(run)).toEqual({ status: 'success', data: { doubled: 42 } });
  });
});
