import { createHmac } from 'node:crypto';
import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import type { FlowTrigger } from '@millrace/domain';
import { installPackage, registryHas, type RunAnswer } from '@millrace/e2e-support';
import { SLACK_MESSAGE } from './testing/package-cases/app-event-cases';
import { ServiceWithTargets } from './testing/service-with-targets';
import { until } from './testing/until';
import { VendorServer } from './testing/vendor-server';

const CHAT = { name: '@e2e/piece-chat', version: '1.0.0' };
const SLACK = { name: `@activepieces/piece-${SLACK_MESSAGE.piece}`, version: SLACK_MESSAGE.version };
const whereTheyAre = registryHas(SLACK.name, SLACK.version) ? it : it.skip;
const SECRET = 'nobody-may-read-this-77c1';

/** A package for the events of an app. A message has texts, and each is an item. */
const SOURCE = `
const { createHmac } = require('node:crypto');
const message = {
  name: 'message', displayName: 'Message', description: '', type: 'APP_WEBHOOK', requireAuth: false,
  props: { team: { type: 'SHORT_TEXT', displayName: 'Team', required: false } },
  sampleData: {},
  onEnable: async ({ propsValue: { team }, app }) => {
    if (team) app.createListeners({ events: ['message', 'mention'], identifierValue: team });
  },
  onDisable: async () => { throw new Error('It does not agree.'); },
  run: async ({ payload }) =>
    payload.body.texts.map((text) => ({ text, by: payload.headers['x-by'], signed: payload.headers['x-slack-signature'] })),
  test: async () => [{ text: 'sample' }],
};
const triggers = { message };
exports.chat = {
  metadata: () => ({ displayName: 'Chat', actions: {}, triggers }),
  actions: () => ({}), triggers: () => triggers,
  getAction: () => undefined, getTrigger: (name) => triggers[name],
  getContextInfo: () => ({ version: '2' }),
  events: {
    verify: ({ payload, webhookSecret, appWebhookUrl }) =>
      payload.body.ends ? process.exit(3) : payload.headers['x-slack-signature'] ===
      createHmac('sha256', webhookSecret).update(appWebhookUrl + payload.rawBody).digest('hex'),
    parseAndReply: ({ payload: { body, queryParams } }) => {
      const { 'hub.verify_token': token, 'hub.challenge': challenge } = queryParams;
      if (token) return token === 'acme' ? { reply: { headers: {}, body: challenge } } : {};
      if (body.broken) throw new Error('It is broken.');
      if (body.challenge) return { reply: { headers: { 'content-type': 'text/html' }, body: body.challenge } };
      return { event: body.type, identifierValue: body.team, reply: { headers: {}, body: { heard: true } } };
    },
  },
};`;

interface Listed {
  data: RunAnswer[];
}

describe('the events of apps', () => {
  let vendors: VendorServer;
  let targets: ServiceWithTargets;
  let chatUrl: string;

  beforeAll(async () => {
    vendors = await VendorServer.start(['slack.com']);
    targets = await ServiceWithTargets.start(vendors.settings);
    await installPackage(client(), CHAT.name, SOURCE);
    chatUrl = await appOf(CHAT.name);
  });
  afterAll(async () => {
    expect(await targets.service.stop()).toBe(0);
    await vendors.stop();
  });

  const client = () => targets.service.client;
  /** Stores the app of a piece, and returns the URL for its events. */
  const appOf = async (pieceName: string): Promise<string> => {
    const app = { pieceName, clientId: 'app', clientSecret: 'secret-of-the-app', webhookSecret: SECRET };
    return (await client().must<{ webhookUrl: string }>('POST', '/oauth-apps', app)).webhookUrl;
  };
  const triggerOf = (piece: { name: string; version: string }, triggerName: string, input: object): FlowTrigger => {
    const echo = codeStep('echo', { text: '{{ trigger.text }}' }, 'export const code = async ({ text }) => text;');
    const trigger = webhookTrigger([echo]);
    const settings = { ...trigger.settings, pieceName: piece.name, pieceVersion: piece.version, triggerName };
    return { ...trigger, settings: { ...settings, input: { ...input } } };
  };
  const publish = async (team: string) =>
    (await client().publishFlow(targets.project, team, triggerOf(CHAT, 'message', { team }))).id;
  const post = (url: string, text: string, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text });
  const signed = (text: string): Record<string, string> => ({
    'x-slack-signature': createHmac('sha256', SECRET)
      .update(chatUrl + text)
      .digest('hex'),
  });
  const send = (event: object, headers: Record<string, string> = {}) => {
    const text = JSON.stringify(event);
    return post(chatUrl, text, { ...signed(text), ...headers });
  };
  const runsOf = async (flowId: string): Promise<RunAnswer[]> =>
    (await client().must<Listed>('GET', `/flow-runs?projectId=${targets.project}&flowId=${flowId}&limit=100`)).data;
  const ended = async (flowId: string, count: number): Promise<RunAnswer[]> => {
    const runs = await until(`The end of ${count} runs`, async () => {
      const found = await runsOf(flowId);
      return found.length === count && found.every(({ status }) => status !== 'RUNNING') ? found : undefined;
    });
    return Promise.all(runs.map(({ id }) => client().endedRun(id)));
  };
  const texts = (runs: RunAnswer[]) => runs.map(({ steps }) => steps?.['echo']?.output).sort();

  it('start one run for each item in each flow that listens, once, and the provider gets the reply', async () => {
    const [one, other, elsewhere] = [await publish('T1'), await publish('T1'), await publish('T2')];
    const event = { type: 'message', team: 'T1', id: 'e-1', texts: ['a', 'b'] };

    const answer = await send(event, { 'x-by': 'Ada' });
    const runs = [...(await ended(one, 2)), ...(await ended(other, 2))];
    const repeated = await send(event, { 'x-by': 'Ada', 'x-retry': '1' });
    const nothing = await send({ type: 'message', team: 'T1', id: 'e-2', texts: [] });
    await send({ type: 'mention', team: 'T1', id: 'e-3', texts: ['c'] });

    expect([answer.status, await answer.json()]).toEqual([200, { heard: true }]);
    expect(texts(runs)).toEqual(['a', 'a', 'b', 'b']);
    expect(runs[0]).toMatchObject({ status: 'SUCCEEDED', triggeredBy: 'webhook' });
    expect(runs[0]?.steps?.['trigger']).toMatchObject({
      type: 'APP_WEBHOOK',
      output: { by: 'Ada', signed: '**REDACTED**' },
    });
    expect([repeated.status, nothing.status]).toEqual([200, 200]);
    expect(texts(await ended(one, 3))).toEqual(['a', 'b', 'c']);
    expect(await runsOf(elsewhere)).toEqual([]);
    expect(JSON.stringify(runs)).not.toContain(SECRET);
  });

  it('are preceded by a question whether the URL is right, which the package answers', async () => {
    const asked = (token: string) =>
      fetch(`${chatUrl}?hub.mode=subscribe&hub.challenge=0123&hub.verify_token=${token}`);

    const [known, unknown] = [await asked('acme'), await asked('other')];

    expect([known.status, known.headers.get('content-type'), await known.text()]).toEqual([
      ...[200, 'text/plain; charset=utf-8', '0123'],
    ]);
    expect(unknown.status).toBe(401);
  });

  it('start nothing when they are not signed by the provider', async () => {
    const flow = await publish('T3');
    const event = { type: 'message', team: 'T3', texts: ['a'] };
    const text = JSON.stringify(event);

    const refused = [
      await post(chatUrl, text),
      await post(chatUrl, text, { 'x-slack-signature': 'wrong' }),
      await post(chatUrl, `${text} `, signed(text)),
    ];
    const genuine = await send(event);

    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(await refused[0]?.json()).toMatchObject({ statusCode: 401, code: 'INVALID_WEBHOOK_SIGNATURE' });
    expect(genuine.status).toBe(200);
    expect(texts(await ended(flow, 1))).toEqual(['a']);
  });

  it('answer a challenge, which is never a page', async () => {
    const answer = await send({ challenge: '<b>c-1</b>' });

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await answer.text()).toBe('<b>c-1</b>');
  });

  it('may be sent again when their package gave no answer', async () => {
    const answer = await send({ ends: true });

    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await answer.json()).toMatchObject({ statusCode: 503, code: 'SERVICE_UNAVAILABLE' });
    expect((await send({ challenge: 'c-2' })).status).toBe(200);
  });

  it.each<[string, number, string, (url: string) => Promise<Response>]>([
    ['of a piece without an app', 404, 'ENTITY_NOT_FOUND', (url) => post(url.replace('chat', 'none'), '{}')],
    ['that are no JSON', 400, 'VALIDATION', (url) => post(url, '{', signed('{'))],
    ['that are too large', 413, 'PAYLOAD_TOO_LARGE', (url) => post(url, `"${'x'.repeat(1024 * 1024)}"`)],
    ['that the package cannot read', 400, 'VALIDATION', () => send({ broken: true })],
  ])('are refused %s', async (_what, status, code, sent) => {
    const answer = await sent(chatUrl);

    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ statusCode: status, code });
  });

  it('reach a flow no more when it is disabled, whatever its package says, or listens to another team', async () => {
    const flow = await publish('T4');
    await send({ type: 'message', team: 'T4', id: 1, texts: ['a'] });
    await ended(flow, 1);

    const request = { displayName: 'T5', trigger: triggerOf(CHAT, 'message', { team: 'T5' }), schemaVersion: '20' };
    await client().must('POST', `/flows/${flow}`, { type: 'IMPORT_FLOW', request: { ...request, notes: [] } });
    await client().must('POST', `/flows/${flow}`, { type: 'LOCK_AND_PUBLISH', request: {} });
    await send({ type: 'message', team: 'T4', id: 2, texts: ['b'] });
    await send({ type: 'message', team: 'T5', id: 3, texts: ['c'] });
    expect(texts(await ended(flow, 2))).toEqual(['a', 'c']);

    await client().must('POST', `/flows/${flow}`, { type: 'CHANGE_STATUS', request: { status: 'DISABLED' } });
    await send({ type: 'message', team: 'T5', id: 4, texts: ['d'] });
    expect(await runsOf(flow)).toHaveLength(2);
  });

  it('cannot be heard by a flow whose trigger listens to none', async () => {
    const { id } = await client().must<{ id: string }>('POST', '/flows', {
      ...{ projectId: targets.project, displayName: 'Deaf' },
    });
    const request = { displayName: 'Deaf', trigger: triggerOf(CHAT, 'message', {}), schemaVersion: '20', notes: [] };
    await client().must('POST', `/flows/${id}`, { type: 'IMPORT_FLOW', request });

    const refused = await client().request('POST', `/flows/${id}`, { type: 'LOCK_AND_PUBLISH', request: {} });

    expect(refused.status).toBe(409);
    expect(JSON.stringify(refused.body)).toContain('The trigger listens to no event of its app.');
  });

  whereTheyAre('of Slack are verified by its package, and start runs for the workspace that signed in', async () => {
    await client().must('POST', '/pieces', SLACK);
    const url = await appOf(SLACK.name);
    vendors.answer('slack.com/api/oauth.v2.access', {
      ...{ ok: true, access_token: 'xoxb-signed-in', token_type: 'bot', team: { id: 'T061' } },
    });
    const begun = await client().must<{ state: string }>('POST', '/connections/oauth2/authorization-url', {
      ...{ projectId: targets.project, pieceName: SLACK.name, redirect_url: 'https://flows.example.com/connected' },
    });
    await client().must('POST', '/connections', {
      ...{ projectId: targets.project, externalId: 'slack', displayName: 'Slack', type: 'OAUTH2' },
      ...{ pieceName: SLACK.name, value: { code: 'c', state: begun.state } },
    });
    const input = { auth: "{{ connections['slack'] }}", channel: 'C1', ignoreBots: false };
    const trigger = triggerOf(SLACK, SLACK_MESSAGE.trigger, input);
    const { id: flow } = await client().publishFlow(targets.project, 'Slack', trigger);
    const sendSlack = (event: object, headers: Record<string, string> = {}) => {
      const [text, timestamp] = [JSON.stringify(event), String(Math.floor(Date.now() / 1_000))];
      const signature = createHmac('sha256', SECRET).update(`v0:${timestamp}:${text}`).digest('hex');
      const signs = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${signature}` };
      return post(url, text, { ...signs, ...headers });
    };
    const message = (channel: string) => ({
      ...{ type: 'event_callback', team_id: 'T061', event_id: `Ev-${channel}` },
      event: { type: 'message', channel_type: 'channel', channel, text: `Hello ${channel}` },
    });

    await targets.connect('forged', 'CUSTOM_AUTH', {
      props: { access_token: 'x', data: { team: { id: 'T061' } }, signed_in_to: SLACK.name },
    });
    const forged = await client().createFlow(targets.project, 'Forged');
    const forgery = triggerOf(SLACK, SLACK_MESSAGE.trigger, { ...input, auth: "{{ connections['forged'] }}" });
    await client().importFlow(forged.id, 'Forged', forgery);
    const listens = await client().request('POST', `/flows/${forged.id}`, { type: 'LOCK_AND_PUBLISH', request: {} });
    expect(listens.status).toBe(409);
    expect(JSON.stringify(listens.body)).toContain('must be made by signing in');

    const challenge = await sendSlack({ type: 'url_verification', challenge: 'c-42' });
    const unsigned = await sendSlack(message('C1'), { 'x-slack-signature': 'v0=0' });
    const answers = [await sendSlack(message('C1')), await sendSlack(message('C2'))];
    const runs = await ended(flow, 1);
    answers.push(await sendSlack(message('C1'), { 'x-slack-retry-num': '1' }));

    expect([challenge.status, await challenge.text()]).toEqual([200, 'c-42']);
    expect(unsigned.status).toBe(401);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(texts(runs)).toEqual(['Hello C1']);
    expect(await ended(flow, 1)).toHaveLength(1);
    expect(JSON.stringify(runs)).not.toMatch(/xoxb-|nobody-may-read/);
  });
});
