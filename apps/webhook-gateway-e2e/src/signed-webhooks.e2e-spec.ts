import examples from '@octokit/webhooks-examples';
import { authFieldsFor, WEBHOOK_SENDERS, webhookTrigger, type SentWebhook } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

type AuthType = keyof typeof WEBHOOK_SENDERS;
const AUTH_TYPES = Object.keys(WEBHOOK_SENDERS) as AuthType[];
const SECRET = `whsec_${Buffer.from('a key that the sender has as well').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('a key that nobody else should try').toString('base64')}`;
const BODY = JSON.stringify({ id: 'evt_1', text: 'grüße', data: { object: { amount: 4200 } } });
const REFUSED = { status: 401, body: { statusCode: 401, code: 'INVALID_WEBHOOK_SIGNATURE' } };
const MINUTE = 60_000;

describe('a webhook whose sender must prove itself', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  const anyone = client.withToken(null);
  let project: string;

  beforeAll(async () => {
    project = await client.createProject('Signed webhooks');
  });

  const signedFlow = async (authType: AuthType, authFields: unknown = authFieldsFor(authType, SECRET)) =>
    (await client.publishFlow(project, authType, webhookTrigger([], { authType, authFields }))).id;
  const sent = (type: AuthType, body = BODY, secret = SECRET, at = new Date()) =>
    WEBHOOK_SENDERS[type](secret, body, at);
  const post = (flowId: string, { headers, body }: SentWebhook, path = '') =>
    anyone.request<{ id: string }>('POST', `/webhooks/${flowId}${path}`, body, headers);
  const handshake = (flowId: string, { headers, body }: SentWebhook, query = '') =>
    fetch(`${service.baseUrl}/api/v1/webhooks/${flowId}${query}`, { method: 'POST', headers, body });
  const runsOf = async (flowId: string) =>
    (await client.must<{ data: { id: string }[] }>('GET', `/flow-runs?projectId=${project}&flowId=${flowId}`)).data;

  it.each(AUTH_TYPES)('starts a run when it passes the check %s, and nothing else does', async (type) => {
    const flowId = await signedFlow(type);
    const good = await sent(type);

    for (const path of ['', '/sync', '/draft', '/test']) {
      expect(await post(flowId, { headers: { 'content-type': 'application/json' }, body: BODY }, path)).toMatchObject(
        REFUSED,
      );
      expect(await post(flowId, { ...(await sent(type, '{"a":', OTHER)) }, path)).toMatchObject(REFUSED);
    }
    expect(await runsOf(flowId)).toEqual([]);

    const answer = await post(flowId, good);
    const run = await client.endedRun(answer.body.id);
    expect(run.steps?.['trigger']?.output).toMatchObject({ body: JSON.parse(BODY), rawBody: BODY });
    const stored = JSON.stringify(run);
    for (const [name, value] of Object.entries(good.headers))
      if (/^(authorization|x-api-key|.*signature.*)$/.test(name)) expect(stored).not.toContain(value);
    expect(stored).toContain('**REDACTED**');
  });

  it.each(['standard_webhooks', 'stripe', 'slack'] as const)('refuses a signature of %s that is old', async (type) => {
    const flowId = await signedFlow(type);

    expect(await post(flowId, await sent(type, BODY, SECRET, new Date(Date.now() - 6 * MINUTE)))).toMatchObject(
      REFUSED,
    );
    expect(await post(flowId, await sent(type, BODY, SECRET, new Date(Date.now() + 6 * MINUTE)))).toMatchObject(
      REFUSED,
    );
    expect((await post(flowId, await sent(type, BODY, SECRET, new Date(Date.now() - 4 * MINUTE)))).status).toBe(200);
  });

  it('takes real events of GitHub, each delivery once, signed with any active secret', async () => {
    const flowId = await signedFlow('github', { secrets: [OTHER, SECRET] });
    const deliveries = examples.slice(0, 12).map(({ examples: [payload] }) => JSON.stringify(payload));

    for (const [index, body] of deliveries.entries()) {
      const { headers } = await sent('github', body, index % 2 === 0 ? SECRET : OTHER);
      const delivery = { headers: { ...headers, 'x-github-delivery': `d-${index}` }, body };
      const first = await post(flowId, delivery);
      const again = await post(flowId, delivery);
      expect(again.body.id).toBe(first.body.id);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }

    const run = await client.endedRun((await runsOf(flowId))[0]?.id ?? '');
    expect(run.steps?.['trigger']?.output).toMatchObject({ body: JSON.parse(deliveries.at(-1) ?? '') });
  });

  it('starts no run for a good request that was changed anywhere', async () => {
    const flowId = await signedFlow('stripe');
    const { headers, body } = await sent('stripe');
    const signature = headers['stripe-signature'] ?? '';
    const changedAt = (text: string, at: number) =>
      text.slice(0, at) + (text[at] === '7' ? '8' : '7') + text.slice(at + 1);

    for (let tried = 0; tried < 40; tried++) {
      const isBody = tried % 2 === 0;
      const at = (tried * 7) % (isBody ? body.length : signature.length);
      const changed = isBody
        ? { headers, body: changedAt(body, at) }
        : { headers: { ...headers, 'stripe-signature': changedAt(signature, at) }, body };
      expect(await post(flowId, changed)).toMatchObject(REFUSED);
    }
    expect(await runsOf(flowId)).toEqual([]);
  });

  it('answers the handshake of Slack once it is signed, and starts no run', async () => {
    const flowId = await signedFlow('slack');
    const body = JSON.stringify({ token: 't', challenge: '3eZbrw1aBm2rZgRNFdxV', type: 'url_verification' });

    const answer = await handshake(flowId, await sent('slack', body));
    expect([answer.status, await answer.text()]).toEqual([200, '3eZbrw1aBm2rZgRNFdxV']);
    expect((await handshake(flowId, await sent('slack', body, OTHER))).status).toBe(401);
    expect(await runsOf(flowId)).toEqual([]);
  });

  it('echoes a challenge as its settings say', async () => {
    const trigger = (echoChallenge: object) =>
      webhookTrigger([], { authType: 'github', authFields: { secret: SECRET }, echoChallenge });
    const inQuery = await client.publishFlow(project, 'Query', trigger({ in: 'query', name: 'hub.challenge' }));
    const inHeader = await client.publishFlow(project, 'Header', trigger({ in: 'header', name: 'X-Hook-Secret' }));

    const ofQuery = await handshake(inQuery.id, { headers: {}, body: '' }, '?hub.mode=subscribe&hub.challenge=115820');
    const ofHeader = await handshake(inHeader.id, { headers: { 'x-hook-secret': 'b537' }, body: '' }, '/sync');

    expect([ofQuery.status, ofQuery.headers.get('content-type'), await ofQuery.text()]).toEqual([
      200,
      'text/plain; charset=utf-8',
      '115820',
    ]);
    expect([ofHeader.status, ofHeader.headers.get('x-hook-secret'), await ofHeader.text()]).toEqual([200, 'b537', '']);
    expect([...(await runsOf(inQuery.id)), ...(await runsOf(inHeader.id))]).toEqual([]);
    expect(await post(inQuery.id, { headers: {}, body: '{}' })).toMatchObject(REFUSED);
  });

  it('reads its secret from a connection', async () => {
    const value = { secret_text: SECRET };
    const connection = { projectId: project, externalId: 'hub', displayName: 'Hub', type: 'SECRET_TEXT', value };
    await client.must('POST', '/connections', connection);
    const flowId = await signedFlow('github', { secret: "{{ connections['hub'] }}" });
    const missing = await signedFlow('github', { secret: "{{ connections['gone'] }}" });

    expect((await post(flowId, await sent('github'))).status).toBe(200);
    expect(await post(missing, await sent('github'))).toMatchObject(REFUSED);
  });
});

describe('the secrets of a webhook', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  const anyone = client.withToken(null);
  const secret = 'never-read-back-5f1e';

  interface Shown {
    id: string;
    version: { valid: boolean; trigger: ReturnType<typeof webhookTrigger> };
  }
  const withFields = (authFields: unknown) => webhookTrigger([], { authType: 'hmac', authFields });
  const update = (flowId: string, trigger: unknown) =>
    client.must<Shown>('POST', `/flows/${flowId}`, { type: 'UPDATE_TRIGGER', request: trigger });
  const fieldsOf = ({ version }: Shown) => version.trigger.settings.input['authFields'] as { secrets: string[] };

  it('are never read back, and stay when their references are sent back', async () => {
    const project = await client.createProject('Secrets of webhooks');
    const fields = { headerName: 'X-Signature', algorithm: 'sha512', encoding: 'base64', prefix: 's5=' };
    const flow = (await client.publishFlow(
      project,
      'Secret',
      withFields({ ...fields, headerName: 'X-Old', secrets: [secret] }),
    )) as unknown as Shown;
    const [reference] = fieldsOf(flow).secrets;

    await update(flow.id, withFields({ ...fields, secrets: [reference] }));
    const published = await client.must<Shown>('POST', `/flows/${flow.id}`, { type: 'LOCK_AND_PUBLISH', request: {} });
    const { headers, body } = await WEBHOOK_SENDERS.hmac(secret, '{}', new Date());
    const deadline = Date.now() + 5_000;
    let answer = await anyone.request('POST', `/webhooks/${flow.id}`, body, headers);
    while (answer.status !== 200 && Date.now() < deadline)
      answer = await anyone.request('POST', `/webhooks/${flow.id}`, body, headers);

    expect(answer.status).toBe(200);
    expect(fieldsOf(published).secrets).toEqual([reference]);
    const template = await client.must<{ template: object }>('GET', `/flows/${flow.id}/template`);
    for (const shown of [flow, published, template, await client.must('GET', `/flows/${flow.id}`)])
      expect(JSON.stringify(shown)).not.toContain(secret);

    const copy = await client.createFlow(project, 'Copy');
    const imported = await client.must<Shown>('POST', `/flows/${copy.id}`, {
      type: 'IMPORT_FLOW',
      request: template.template,
    });
    expect(imported.version.valid).toBe(false);
    expect(fieldsOf(imported).secrets).toEqual(['**REDACTED**']);
  });
});
