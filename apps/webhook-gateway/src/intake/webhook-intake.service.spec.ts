import { RunIntake, type ArrivingRun, type TriggeredFlow } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import type { PublishedFlows } from './published-flows';
import { WebhookIntake } from './webhook-intake.service';
import { payloadsFor } from '../testing/payloads-for';
import type { InboundRequest } from './webhook-payload';

const FLOW: TriggeredFlow = {
  flowId: anId(),
  projectId: anId(),
  status: 'ENABLED',
  publishedVersionId: anId(),
  triggerPiece: 'webhook',
};

/** `more` is null when there is no such flow. */
function setUp(more: Partial<TriggeredFlow> | null = {}) {
  const accepted: ArrivingRun[] = [];
  const runs: RunIntake = {
    accept: async (run) => {
      accepted.push(run);
      return { runId: run.id, replayed: false };
    },
  };
  const published = { find: async () => more && { ...FLOW, ...more } } as Partial<PublishedFlows> as PublishedFlows;
  const intake = new WebhookIntake(published, runs, payloadsFor());
  const post = (headers: InboundRequest['headers'] = {}) =>
    intake.receive(FLOW.flowId, { method: 'POST', headers, queryParams: {}, rawBody: Buffer.alloc(0) });
  return { accepted, post };
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

  it.each<[string, Partial<TriggeredFlow>]>([
    ['another piece', { triggerPiece: 'subflows' }],
    ['no piece', { triggerPiece: null }],
    ['another piece, though the flow is disabled', { triggerPiece: 'schedule', status: 'DISABLED' }],
  ])('knows no flow whose trigger is of %s', async (_, flow) => {
    const { accepted, post } = setUp(flow);

    await expect(post()).rejects.toMatchObject({ code: 'ENTITY_NOT_FOUND', params: { entityId: FLOW.flowId } });
    expect(accepted).toEqual([]);
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
});
