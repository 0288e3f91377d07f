import examples from '@octokit/webhooks-examples';
import { branch, codeStep, fallback, loop, router, webhookTrigger } from '@millrace/domain/testing';
import { patience, ServiceClient, serviceUnderTest, type RunAnswer } from '@millrace/e2e-support';

jest.setTimeout(240_000 * patience);

interface Delivery {
  event: string;
  payload: Record<string, unknown>;
}

const deliveries: Delivery[] = examples.flatMap(({ name, examples: payloads }) =>
  payloads.map((payload: unknown) => ({ event: name, payload: payload as Record<string, unknown> })),
);

const AT_A_TIME = 8;

const SUMMARISE = `
interface Inputs { event: string; payload: Record<string, unknown> }
export const code = async ({ event, payload }: Inputs) => {
  const sender = payload.sender as { login?: string } | undefined;
  console.log('summarising', event);
  return { event, action: payload.action ?? null, sender: sender?.login ?? null, keys: Object.keys(payload).sort() };
};`;

const TEXT = 'export const code = async (inputs: { text: string }) => inputs.text;';

const DESCRIBE_FIELD = `
export const code = async ({ key, value }: { key: string; value: unknown }) =>
  ({ key: key.toUpperCase(), kind: Array.isArray(value) ? 'array' : typeof value });`;

const flow = webhookTrigger([
  codeStep('summary', { event: "{{trigger.headers['x-github-event']}}", payload: '{{trigger.body}}' }, SUMMARISE),
  router('by_action', [
    branch(
      'Has an action',
      [[{ firstValue: '{{summary.action}}', operator: 'EXISTS' }]],
      [codeStep('with_action', { text: '{{summary.event}}.{{summary.action}} by {{summary.sender}}' }, TEXT)],
    ),
    fallback([codeStep('without_action', { text: '{{summary.event}} by {{summary.sender}}' }, TEXT)], 'Has none'),
  ]),
  loop('fields', '{{summary.keys}}', [
    codeStep('field', { key: '{{fields.item}}', value: '{{trigger.body[fields.item]}}' }, DESCRIBE_FIELD),
  ]),
]);

/** Returns the expected field. An expression that gives null is sent as an empty text. */
function expectedField(key: string, value: unknown): { key: string; kind: string } {
  return { key: key.toUpperCase(), kind: Array.isArray(value) ? 'array' : value === null ? 'string' : typeof value };
}

function expectRecorded(run: RunAnswer, { event, payload }: Delivery): void {
  const sender = (payload['sender'] as { login?: string } | undefined)?.login ?? null;
  const action = (payload['action'] as string | undefined) ?? null;
  const keys = Object.keys(payload).sort();
  const steps = run.steps ?? {};

  expect(run.status).toBe('SUCCEEDED');
  expect(steps['trigger']).toMatchObject({ type: 'WEBHOOK', output: { method: 'POST', body: payload } });
  expect(steps['summary']).toMatchObject({
    type: 'CODE',
    status: 'SUCCEEDED',
    output: { event, action, sender, keys },
  });
  expect(steps['summary']?.logs?.join('\n')).toContain(`summarising ${event}`);
  expect(steps['by_action']?.output).toMatchObject({
    branches: [
      { branchName: 'Has an action', branchIndex: 1, evaluation: action !== null },
      { branchName: 'Has none', branchIndex: 2, evaluation: action === null },
    ],
  });
  const taken = action === null ? 'without_action' : 'with_action';
  expect(steps[taken]?.output).toBe(`${event}${action === null ? '' : `.${action}`} by ${sender ?? ''}`);
  expect(steps[action === null ? 'with_action' : 'without_action']).toBeUndefined();
  const { iterations } = steps['fields']?.output as { iterations: { field: { output: unknown } }[] };
  expect(iterations.map(({ field }) => field.output)).toEqual(keys.map((key) => expectedField(key, payload[key])));
  expect(run.stepsCount).toBe(4 + keys.length);
}

describe('the real webhooks of GitHub', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);

  it('all go through a flow of code, router and loop, and are recorded as they were', async () => {
    expect(deliveries.length).toBeGreaterThanOrEqual(100);
    const project = await client.createProject('GitHub');
    const { id: flowId } = await client.publishFlow(project, 'GitHub events', flow);

    const deliver = async (delivery: Delivery): Promise<void> => {
      const answer = await client.sendWebhook(flowId, delivery.payload, { 'x-github-event': delivery.event });
      expect(answer.status).toBe(200);
      expectRecorded(await client.endedRun(answer.body.id), delivery);
    };
    for (let sent = 0; sent < deliveries.length; sent += AT_A_TIME)
      await Promise.all(deliveries.slice(sent, sent + AT_A_TIME).map(deliver));
  });
});
