import { createServer, type IncomingMessage, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { Client } from 'pg';
import { installPackage, type Answer, type RunAnswer } from '@millrace/e2e-support';
import { ServiceWithTargets } from './testing/service-with-targets';
import { until } from './testing/until';

const PIECE = { name: '@e2e/piece-hooks', version: '1.0.0' };

/** A trigger that registers its URL at a vendor, and gives the items in the bodies that the vendor sends there. */
const SOURCE = `
const text = (displayName) => ({ type: 'SHORT_TEXT', displayName, required: true });
const ask = async (url, init) => {
  const answer = await fetch(url, init);
  if (!answer.ok) throw new Error('The vendor says ' + (await answer.text()));
  return answer.json();
};
const called = {
  name: 'called', displayName: 'Called', description: '', type: 'WEBHOOK', requireAuth: false,
  props: { vendor: text('Vendor'), logo: { type: 'FILE', displayName: 'Logo', required: false } },
  handshakeConfiguration: { strategy: 'BODY_PARAM_PRESENT', paramName: 'challenge' },
  renewConfiguration: { strategy: 'CRON', cronExpression: '0 */12 * * *' },
  sampleData: {},
  onEnable: async ({ propsValue: { vendor }, webhookUrl, store, isRepublish }) => {
    const { id } = await ask(vendor + '/hooks', { method: 'POST', body: JSON.stringify({ webhookUrl, isRepublish }) });
    await store.put('hook', id);
  },
  onDisable: async ({ propsValue: { vendor }, store }) => {
    await ask(vendor + '/hooks/' + (await store.get('hook')), { method: 'DELETE' });
  },
  onRenew: async ({ propsValue: { vendor }, store }) => {
    await ask(vendor + '/hooks/' + (await store.get('hook')), { method: 'PUT' });
  },
  onHandshake: async ({ payload }) => ({ status: 201, headers: { 'x-answered': 'yes' }, body: { echoed: payload.body.challenge } }),
  run: async ({ payload, propsValue: { logo }, store, files }) => {
    const { items, failure, asks, text } = payload.body;
    if (logo) return [{ item: { name: logo.filename, text: logo.data.toString(), base64: logo.base64 } }];
    if (asks) await ask(asks);
    if (text) return [{ item: await files.write({ fileName: 'note.txt', data: Buffer.from(text) }) }];
    if (failure) throw new Error(failure);
    const calls = ((await store.get('calls')) ?? 0) + 1;
    await store.put('calls', calls);
    return items.map((item) => ({ item, calls, method: payload.method, agent: payload.headers['x-agent'] ?? null, raw: payload.rawBody.length }));
  },
  test: async () => [{ item: 'sample' }],
};
const triggers = { called };
exports.hooks = {
  metadata: () => ({ displayName: 'Hooks', actions: {}, triggers }),
  actions: () => ({}), triggers: () => triggers,
  getAction: () => undefined, getTrigger: (name) => triggers[name],
  getContextInfo: () => ({ version: '2' }),
};`;

/** Another service, which asks at each registration whether the URL is meant for it. */
class Vendor {
  readonly hooks = new Map<string, { webhookUrl: string; isRepublish: boolean }>();
  readonly handshakes: unknown[] = [];
  readonly renewed: string[] = [];
  refusal: string | null = null;
  keepsHooks = false;
  /** Is called when a trigger asks while it makes items. That call gets no answer; each later one gets it at once. */
  asked: (() => void) | null = null;
  private registrations = 0;
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      void this.answer(request).then(
        (body) => response.end(JSON.stringify(body)),
        (error: unknown) => response.writeHead(422).end((error as Error).message),
      );
    });
  }

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
  }

  private letWait(): Promise<unknown> {
    const { asked } = this;
    if (!asked) return Promise.resolve({});
    this.asked = null;
    asked();
    return new Promise(() => undefined);
  }

  private async answer(request: IncomingMessage): Promise<unknown> {
    if (request.url === '/items') return this.letWait();
    if (request.method === 'PUT') return { renewals: this.renewed.push(request.url?.split('/').at(-1) ?? '') };
    if (request.method === 'DELETE' && this.keepsHooks) throw new Error('Not now.');
    if (request.method === 'DELETE') return { deleted: this.hooks.delete(request.url?.split('/').at(-1) ?? '') };
    const hook = (await json(request)) as { webhookUrl: string; isRepublish: boolean };
    if (this.refusal !== null) throw new Error(this.refusal);
    const body = JSON.stringify({ challenge: 'c-91' });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(hook.webhookUrl, { method: 'POST', headers, body });
    this.handshakes.push([answer.status, answer.headers.get('x-answered'), await answer.json()]);
    const id = `hook-${++this.registrations}`;
    this.hooks.set(id, hook);
    return { id };
  }
}

interface Flow {
  status: string;
  triggerFailure?: { message: string };
}

interface Listed {
  data: RunAnswer[];
}

describe('a webhook trigger of a package', () => {
  let targets: ServiceWithTargets;
  const vendor = new Vendor();
  let vendorUrl: string;

  beforeAll(async () => {
    vendorUrl = await vendor.listen();
    targets = await ServiceWithTargets.start();
    await installPackage(targets.service.client, PIECE.name, SOURCE);
  });
  afterAll(async () => {
    vendor.close();
    expect(await targets.service.stop()).toBe(0);
  });

  const triggerOf = (input = {}) => {
    const echo = codeStep('echo', { got: '{{ trigger.item }}' }, 'export const code = async ({ got }) => got;');
    const trigger = webhookTrigger([echo]);
    const settings = { ...trigger.settings, pieceName: PIECE.name, pieceVersion: PIECE.version, triggerName: 'called' };
    return { ...trigger, settings: { ...settings, input: { vendor: vendorUrl, ...input } } };
  };
  const publish = async (input = {}) =>
    (await targets.service.client.publishFlow(targets.project, 'Hooks', triggerOf(input))).id;
  const request = <Body = unknown>(path: string, body: unknown, headers = {}): Promise<Answer<Body>> =>
    targets.service.client.withToken(null).request<Body>('POST', `/webhooks/${path}`, body, headers);
  const runsOf = async (flowId: string): Promise<RunAnswer[]> => {
    const path = `/flow-runs?projectId=${targets.project}&flowId=${flowId}&limit=100`;
    return (await targets.service.client.must<Listed>('GET', path)).data;
  };
  const ended = async (flowId: string, count: number): Promise<RunAnswer[]> => {
    const runs = await until(`The end of ${count} runs`, async () => {
      const found = await runsOf(flowId);
      return found.length === count && found.every(({ status }) => status !== 'RUNNING') ? found : undefined;
    });
    return Promise.all(runs.map(({ id }) => targets.service.client.endedRun(id)));
  };
  const outputs = (runs: RunAnswer[]): unknown[] =>
    runs.map(({ steps }) => (steps?.['trigger']?.output as { item: unknown }).item);

  it('registers its URL, answers the handshake of the vendor meanwhile, and is taken back when it is disabled', async () => {
    const handshakes = vendor.handshakes.length;
    const flowId = await publish();

    expect(vendor.handshakes.slice(handshakes)).toEqual([[201, 'yes', { echoed: 'c-91' }]]);
    const hooks = [...vendor.hooks.values()].map(({ webhookUrl }) => webhookUrl);
    expect(hooks).toContainEqual(expect.stringContaining(`/api/v1/webhooks/${flowId}`));
    expect(await runsOf(flowId)).toEqual([]);

    const status = { type: 'CHANGE_STATUS', request: { status: 'DISABLED' } };
    await targets.service.client.must('POST', `/flows/${flowId}`, status);
    const isGone = () => [...vendor.hooks.values()].every(({ webhookUrl }) => !webhookUrl.includes(flowId));
    await until('The removal of the hook', async () => isGone() || undefined);
    expect((await request(flowId, { items: [1] })).status).toBe(404);
  });

  it('is taken back later when that fails while its flow is published again, which hears of events meanwhile', async () => {
    const flowId = await publish();
    const { client } = targets.service;
    const hooks = () => [...vendor.hooks].filter(([, { webhookUrl }]) => webhookUrl.endsWith(flowId)).map(([id]) => id);
    const [first] = hooks();

    vendor.keepsHooks = true;
    const trigger = triggerOf();
    const changed = { ...trigger, settings: { ...trigger.settings, input: { vendor: `${vendorUrl}/` } } };
    await client.request('POST', `/flows/${flowId}`, { type: 'UPDATE_TRIGGER', request: changed });
    const published = await client.request<Flow>('POST', `/flows/${flowId}`, { type: 'LOCK_AND_PUBLISH', request: {} });

    expect(published.body).toMatchObject({ status: 'ENABLED', operationStatus: 'NONE' });
    const stays = `The service of ${PIECE.name} still has its webhook, so its events may start runs as well.`;
    expect((await client.request<Flow>('GET', `/flows/${flowId}`)).body.triggerFailure?.message).toBe(
      `The trigger "Called" that the flow had before could not be disabled: The vendor says Not now. ${stays}`,
    );
    expect(hooks()).toEqual([first, expect.any(String)]);
    vendor.keepsHooks = false;
    await until(
      'The removal of the old hook',
      async () => (hooks().length === 1 && !hooks().includes(first ?? '')) || undefined,
    );
    await until('A flow without a failure', async () => {
      const { body } = await client.request<Flow>('GET', `/flows/${flowId}`);
      return body.triggerFailure ? undefined : true;
    });
    expect((await client.withToken(null).request('POST', `/webhooks/${flowId}`, { items: ['still'] })).status).toBe(
      200,
    );
    await ended(flowId, 1);
  });

  it('is renewed when its cron expression says so', async () => {
    const flowId = await publish();
    const [id] = [...vendor.hooks].find(([, { webhookUrl }]) => webhookUrl.includes(flowId)) ?? [];
    const database = new Client({ connectionString: targets.service.databaseUrl });
    await database.connect();
    try {
      await database.query('update trigger_renewal set due_at = now() where flow_id = $1', [flowId]);
      await until('The renewal of the hook', async () => vendor.renewed.includes(id ?? '') || undefined);
      const next = await until('The next renewal', async () => {
        const found = await database.query<{ at: string }>(
          `select to_char(due_at at time zone 'utc', 'HH24:MI:SS') as at from trigger_renewal
           where flow_id = $1 and due_at > now() + interval '3 minutes'`,
          [flowId],
        );
        return found.rows[0]?.at;
      });

      expect(['00:00:00', '12:00:00']).toContain(next);
    } finally {
      await database.end();
    }
  });

  it('starts one run for each item that it makes of a request, and none when it makes none', async () => {
    const flowId = await publish();

    const answer = await request<{ id: string }>(flowId, { items: ['a', 'b', 'c'] }, { 'x-agent': 'vendor' });
    expect(answer.status).toBe(200);
    const runs = await ended(flowId, 3);

    expect(outputs(runs).sort()).toEqual(['a', 'b', 'c']);
    expect(runs.map(({ status, steps }) => [status, steps?.['trigger']?.type, steps?.['echo']?.output]).sort()).toEqual(
      ['a', 'b', 'c'].map((item) => ['SUCCEEDED', 'WEBHOOK', item]),
    );
    const first = runs.find(({ id }) => id === answer.body.id);
    expect(first?.steps?.['trigger']?.output).toMatchObject({ item: 'a', calls: 1, method: 'POST', agent: 'vendor' });

    await request(flowId, { items: [] });
    await ended(flowId, 3);
    await request(flowId, { items: ['d'] });
    const later = await ended(flowId, 4);
    const newest = later.find(({ steps }) => (steps?.['trigger']?.output as { item: string }).item === 'd');
    expect(newest?.steps?.['trigger']?.output).toMatchObject({ calls: 3 });
  });

  it('writes files for its items, whose links steps and people open', async () => {
    const flowId = await publish();

    await request(flowId, { text: 'A note' });
    const [run] = await ended(flowId, 1);

    const link = String(run?.steps?.['echo']?.output);
    const answer = await fetch(link);
    expect([answer.status, await answer.text()]).toEqual([200, 'A note']);
    expect(answer.headers.get('content-disposition')).toContain('note.txt');
  });

  it('gets the content of a file among its inputs', async () => {
    const flowId = await publish({ logo: 'data:text/plain;base64,aGVsbG8=' });

    await request(flowId, {});

    expect(outputs(await ended(flowId, 1))).toEqual([{ name: 'file.txt', text: 'hello', base64: 'aGVsbG8=' }]);
  });

  it('gives the same answer to a repeated request, also when it has made no item', async () => {
    const flowId = await publish();
    const key = { 'idempotency-key': 'k-1' };

    const none = await request<{ id: string }>(flowId, { items: [] }, key);
    await until('The end of the request', async () => ((await runsOf(flowId)).length === 0 ? true : undefined));
    const again = await request<{ id: string }>(flowId, { items: [] }, key);

    expect(again).toMatchObject({ status: 200, body: none.body });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('answers a sender that waits for the run of the first item', async () => {
    const flowId = await publish();

    expect((await request(`${flowId}/sync`, { items: ['a'] })).status).toBe(204);
    expect((await request(`${flowId}/sync`, { items: [] })).status).toBe(204);
    expect(await request(`${flowId}/sync`, { failure: 'Not like this.' })).toMatchObject({
      status: 500,
      body: { code: 'FLOW_RUN_FAILED' },
    });
  });

  it('fails a run with what the package throws, which a retry asks again', async () => {
    const flowId = await publish();

    const { body } = await request<{ id: string }>(flowId, { failure: 'Not like this.' });
    const run = await targets.service.client.endedRun(body.id);

    expect(run).toMatchObject({ status: 'FAILED', failedStep: { name: 'trigger', message: 'Not like this.' } });
    const retry = { strategy: 'FROM_FAILED_STEP', projectId: targets.project };
    const retried = await targets.service.client.must<RunAnswer>('POST', `/flow-runs/${run.id}/retry`, retry);
    expect(await targets.service.client.endedRun(retried.id)).toMatchObject({
      failedStep: { message: 'Not like this.' },
    });
  });

  it('loses no item, and starts no run twice, when the worker is killed while the trigger makes the items', async () => {
    const flowId = await publish();
    const asked = new Promise<void>((resolve) => (vendor.asked = resolve));
    await request(flowId, { items: ['a', 'b'], asks: `${vendorUrl}/items` });
    await asked;

    targets.service.kill('worker');

    const runs = await ended(flowId, 2);
    expect(outputs(runs).sort()).toEqual(['a', 'b']);
    expect(runs.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  });

  it('leaves a flow disabled that it cannot enable, with the reason', async () => {
    vendor.refusal = 'no more hooks';
    const { client } = targets.service;
    const { id } = await client.createFlow(targets.project, 'Refused');
    await client.importFlow(id, 'Refused', triggerOf());

    const answer = await client.request('POST', `/flows/${id}`, { type: 'LOCK_AND_PUBLISH', request: {} });
    vendor.refusal = null;

    expect(JSON.stringify(answer.body)).toContain('The vendor says no more hooks');
    expect(await client.must('GET', `/flows/${id}`)).toMatchObject({ status: 'DISABLED' });
  });

  it('makes the items of a draft too, and keeps the first as its sample', async () => {
    const { client } = targets.service;
    const { id } = await client.createFlow(targets.project, 'Draft');
    await client.importFlow(id, 'Draft', triggerOf());

    const { body } = await request<{ id: string }>(`${id}/draft`, { items: ['a'] });
    expect(await client.endedRun(body.id)).toMatchObject({ status: 'SUCCEEDED', environment: 'TESTING' });
    const sample = await client.must('GET', `/sample-data?flowId=${id}&stepName=trigger&type=OUTPUT`);
    expect(JSON.stringify(sample)).toContain('"item":"a"');

    expect((await request(`${id}/test`, { items: ['a'] })).status).toBe(400);
  });
});
