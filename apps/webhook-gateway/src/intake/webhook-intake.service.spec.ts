import { createHmac } from 'node:crypto';
import { RunIntake, type ArrivingRun, type WebhookPayload } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import { aVerification } from '../testing/a-verification';
import type { ArrivedRequest } from './inbound-request';
import type { PublishedFlows, PublishedWebhook } from './published-flows';
import { WebhookSpans } from './webhook-spans';
import { WebhookIntake } from './webhook-intake.service';
import { WebhooksUnderWay } from './webhooks-under-way';
import { payloadsFor } from '../testing/payloads-for';

const FLOW: PublishedWebhook = {
  flowId: anId(),
  projectId: anId(),
  status: 'ENABLED',
  publishedVersionId: anId(),
  triggerPiece: 'webhook',
  triggerInput: {},
  check: null,
};

/** `more` is null when there is no such flow. */
function setUp(more: Partial<PublishedWebhook> | null = {}) {
  const accepted: ArrivingRun[] = [];
  const runs: RunIntake = {
    accept: async (run) => {
      accepted.push(run);
      return { runId: run.id, replayed: false };
    },
  };
  const find = jest.fn(async () => more && { ...FLOW, ...more });
  const published = { find, projectOf: () => FLOW.projectId } as Partial<PublishedFlows> as PublishedFlows;
  const intake = new WebhookIntake(
    published,
    runs,
    payloadsFor(),
    aVerification(),
    new WebhookSpans(),
    new WebhooksUnderWay(),
  );
  const sent = (headers: Record<string, string>, more: Partial<ArrivedRequest>): ArrivedRequest => ({
    method: 'POST',
    headers,
    rawHeaders: Object.entries(headers).flat(),
    queryParams: {},
    rawBody: Buffer.alloc(0),
    ...more,
  });
  const post = (headers: Record<string, string> = {}, more: Partial<ArrivedRequest> = {}, flowId = FLOW.flowId) =>
    intake.receive(flowId, sent(headers, more));
  const awaited = (headers: Record<string, string> = {}, more: Partial<ArrivedRequest> = {}) =>
    intake.receiveAwaited(FLOW.flowId, sent(headers, more), { id: 'awaited' });
  return { accepted, find, post, awaited };
}

describe('WebhookIntake', () => {
  it.each(['webhook', '@activepieces/piece-webhook'])(
    'takes a webhook for a trigger of the piece %s',
    async (piece) => {
      const { accepted, post } = setUp({ triggerPiece: piece });

      await post();

      expect(accepted).toMatchObject([{ flowVersionId: FLOW.publishedVersionId, triggerType: 'WEBHOOK' }]);
    },
  );

  it.each<[string, Partial<PublishedWebhook>]>([
    ['another piece', { triggerPiece: 'subflows' }],
    ['no piece', { triggerPiece: null }],
    ['another piece, though the flow is disabled', { triggerPiece: 'schedule', status: 'DISABLED' }],
  ])('knows no flow whose trigger is of %s', async (_, flow) => {
    const { accepted, post } = setUp(flow);

    await expect(post()).rejects.toMatchObject({ code: 'ENTITY_NOT_FOUND', params: { entityId: FLOW.flowId } });
    expect(accepted).toEqual([]);
  });

  describe('for the trigger of a package', () => {
    const handshake = { strategy: 'QUERY_PRESENT', paramName: 'challenge' };
    const ofPackage = { triggerPiece: '@scope/piece-notes', packageWebhook: { versionId: 'published', handshake } };
    const challenge = { queryParams: { challenge: 'c-91' } };

    it('takes a webhook, and says of a handshake that its sender waits', async () => {
      const { accepted, post } = setUp(ofPackage);

      await post({ 'idempotency-key': 'k' });
      expect(await post({}, challenge)).toEqual({ isForPackage: true });

      expect(accepted).toMatchObject([{ flowVersionId: FLOW.publishedVersionId, idempotencyKey: 'webhook:k' }]);
    });

    it('gives the package the credentials of its senders, which it checks itself', async () => {
      const { accepted, post } = setUp(ofPackage);

      await post({ 'x-hub-signature-256': 'sha256=91' });

      expect((accepted[0]?.payload as WebhookPayload).request).toContain('sha256=91');
    });

    it('accepts a handshake whose sender waits, each time anew', async () => {
      const { accepted, awaited } = setUp(ofPackage);

      await awaited({ 'idempotency-key': 'k' }, challenge);

      expect(accepted).toMatchObject([{ id: 'awaited', isAwaited: true, idempotencyKey: null }]);
    });

    it('takes handshakes, and nothing else, while the trigger is being enabled', async () => {
      const enabling = {
        ...ofPackage,
        status: 'DISABLED',
        publishedVersionId: null,
        packageWebhook: null,
        enablingWebhook: { versionId: 'next', handshake },
      } as const;
      const { accepted, awaited, post } = setUp(enabling);

      await awaited({}, challenge);
      await expect(post()).rejects.toMatchObject({ code: 'FLOW_DISABLED' });

      expect(accepted).toMatchObject([{ flowVersionId: 'next' }]);
    });

    it('answers by the trigger that is being enabled in place of one that takes webhooks', async () => {
      const { accepted, awaited, post } = setUp({ enablingWebhook: { versionId: 'next', handshake } });

      expect(await post({}, challenge)).toEqual({ isForPackage: true });
      await awaited({}, challenge);
      await post();

      expect(accepted).toMatchObject([
        { flowVersionId: 'next', isAwaited: true },
        { flowVersionId: FLOW.publishedVersionId },
      ]);
    });

    it('takes no handshake while it is disabled', async () => {
      const { post } = setUp({ ...ofPackage, status: 'DISABLED' });

      await expect(post({}, challenge)).rejects.toMatchObject({ code: 'FLOW_DISABLED' });
    });
  });

  it('knows a flow by its id in either case, and asks for it in lower case, as its changes are announced', async () => {
    const { accepted, find, post } = setUp();

    await post({}, {}, FLOW.flowId.toUpperCase());

    expect(find).toHaveBeenCalledWith(FLOW.flowId);
    expect(accepted).toMatchObject([{ flowId: FLOW.flowId }]);
  });

  it('says the same of such a flow as of none, so that a stranger does not learn that it exists', async () => {
    const message = `There is no flow with the id "${FLOW.flowId}" that a webhook starts.`;

    await expect(setUp({ triggerPiece: 'subflows' }).post()).rejects.toMatchObject({ message });
    await expect(setUp(null).post()).rejects.toMatchObject({ message });
  });

  it('says of a flow that is disabled, or was never published, that it is', async () => {
    for (const flow of [{ status: 'DISABLED' } as const, { publishedVersionId: null, triggerPiece: null }])
      await expect(setUp(flow).post()).rejects.toMatchObject({ code: 'FLOW_DISABLED' });
  });

  it.each([
    ['the id of the webhook first', { 'webhook-id': 'msg_1', 'idempotency-key': 'k' }, 'webhook:msg_1'],
    ['the key of the request, when the id is empty', { 'webhook-id': '', 'idempotency-key': 'k' }, 'webhook:k'],
    ['the key of a step, as a key from outside', { 'idempotency-key': 'step:run:path' }, 'webhook:step:run:path'],
    ['none', {}, null],
  ])('takes for the idempotency key %s', async (_, headers, key) => {
    const { accepted, post } = setUp();

    await post(headers);

    expect(accepted[0]?.idempotencyKey).toBe(key);
  });

  it('names the header whose idempotency key is too long', () =>
    expect(setUp().post({ 'webhook-id': 'x'.repeat(256) })).rejects.toMatchObject({
      code: 'VALIDATION',
      message: 'The header webhook-id has at most 255 characters.',
    }));

  describe('for a trigger that knows its sender', () => {
    const sender = { authType: 'header', headerName: 'x-secret', headerValue: 'open' } as const;

    it('counts only right senders for the rate, so that wrong ones say nothing about the database', async () => {
      const { post } = setUp({ check: { sender, challenge: null } });
      const entered = jest.spyOn(WebhooksUnderWay.prototype, 'enter');

      await expect(post({ 'x-secret': 'wrong' })).rejects.toMatchObject({ code: 'INVALID_WEBHOOK_SIGNATURE' });
      expect(entered).not.toHaveBeenCalled();
      await post({ 'x-secret': 'open' });
      expect(entered).toHaveBeenCalledTimes(1);
      entered.mockRestore();
    });

    it('refuses everybody else before it reads the body, and stores nothing', async () => {
      const { accepted, post } = setUp({ check: { sender, challenge: null } });
      const malformed = { rawBody: Buffer.from('{"a":') };

      for (const headers of [{}, { 'x-secret': 'wrong' }] as Record<string, string>[])
        await expect(post({ 'content-type': 'application/json', ...headers }, malformed)).rejects.toMatchObject({
          code: 'INVALID_WEBHOOK_SIGNATURE',
        });
      expect(accepted).toEqual([]);
    });

    it('stores a request of the sender without what it proved it with', async () => {
      const { accepted, post } = setUp({ check: { sender, challenge: null } });

      await post({ 'x-secret': 'open', cookie: 'a=b', 'x-other': 'kept' });

      const [line] = JSON.stringify(accepted[0]?.payload).match(/"request":".*?[^\\]"/) ?? [];
      expect(line).toContain('kept');
      expect(line).toContain('**REDACTED**');
      expect(line).not.toMatch(/open|a=b/);
    });

    it('takes for the idempotency key of GitHub the id of its delivery', async () => {
      const github = { authType: 'github', secrets: ['s'] } as const;
      const { accepted, post } = setUp({ check: { sender: github, challenge: null } });
      const signature = `sha256=${createHmac('sha256', 's').update('').digest('hex')}`;

      await post({ 'x-hub-signature-256': signature, 'x-github-delivery': 'd', 'idempotency-key': 'k' });

      expect(accepted[0]?.idempotencyKey).toBe('webhook:d');
    });

    it('answers a handshake and starts no run', async () => {
      const { accepted, post } = setUp({ check: { sender, challenge: { in: 'query', name: 'hub.challenge' } } });

      const answer = await post({}, { queryParams: { 'hub.challenge': '1158201444' } });

      expect(answer).toMatchObject({ challenge: { body: '1158201444' } });
      expect(accepted).toEqual([]);
    });
  });
});
