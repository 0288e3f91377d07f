import {
  InvalidWebhookSignatureError,
  payloadText,
  RunIntake,
  type ArrivingRun,
  type DraftFlow,
  type FlowVersionReader,
  type IntakeGate,
  RateLimitedError,
  type SampleDataEntry,
  type SampleDataWriter,
  type WebhookPayload,
} from '@millrace/domain';
import { Logger } from '@nestjs/common';
import { anId } from '@millrace/domain/testing';
import type { ArrivedRequest } from '../intake/inbound-request';
import { aVerification } from '../testing/a-verification';
import { payloadsFor } from '../testing/payloads-for';
import { WebhookSpans } from '../intake/webhook-spans';
import { DraftIntake } from './draft-intake.service';
import { DraftRate } from './draft-rate';
import { OverrunDrafts } from './overrun-drafts';
import { VerifiedDrafts, type CheckedDraft } from './verified-drafts';

const FLOW: DraftFlow = {
  flowId: anId(),
  projectId: anId(),
  versionId: anId(),
  isValid: true,
  triggerPiece: 'webhook',
  triggerInput: {},
  triggerName: 'catch',
};

interface Situation {
  /** Null when there is no such flow. */
  flow?: Partial<DraftFlow> | null;
  replayed?: boolean;
  samplesFail?: boolean;
  gate?: IntakeGate;
  perMinute?: number;
}

function setUp({ flow = {}, replayed = false, samplesFail = false, gate, perMinute = 60 }: Situation = {}) {
  const accepted: ArrivingRun[] = [];
  const samples: SampleDataEntry[] = [];
  const runs: RunIntake = {
    accept: async (run) => {
      accepted.push(run);
      return { runId: replayed ? anId() : run.id, replayed };
    },
  };
  const findDraft = jest.fn(async () => flow && { ...FLOW, ...flow });
  const writer: SampleDataWriter = {
    save: async (_, entries) => {
      if (samplesFail) throw new Error('no database');
      samples.push(...entries);
    },
  };
  const flows = { findDraft } as Partial<FlowVersionReader> as FlowVersionReader;
  const [rate, overrun] = [new DraftRate(perMinute), new OverrunDrafts<CheckedDraft>(perMinute)];
  const drafts = new VerifiedDrafts(flows, rate, overrun, aVerification());
  const intake = new DraftIntake(drafts, runs, payloadsFor(), writer, new WebhookSpans(), gate);
  return { accepted, samples, findDraft, intake };
}

/** A busy machine may take so long for a few calls; the draft is read once in each second. */
const SECONDS_AT_MOST = 10;

const request = (headers: Record<string, string> = {}): ArrivedRequest => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  rawHeaders: Object.entries(headers).flat(),
  queryParams: {},
  rawBody: Buffer.from('{"n":1}'),
});
const OUTPUT = { method: 'POST', body: { n: 1 }, rawBody: '{"n":1}' };
const outputOf = ({ payload }: { payload: unknown }): unknown => JSON.parse(payloadText(payload as WebhookPayload));

describe('DraftIntake', () => {
  it('starts a test run of the latest version, and keeps what came as the sample of its trigger', async () => {
    const { accepted, samples, intake } = setUp();

    const received = await intake.receive(FLOW.flowId, request());

    expect(received).toMatchObject({ replayed: false });
    expect(accepted).toMatchObject([
      {
        id: (received as { runId: string }).runId,
        flowVersionId: FLOW.versionId,
        environment: 'TESTING',
        triggerType: 'WEBHOOK',
        idempotencyKey: null,
      },
    ]);
    expect(accepted.map(outputOf)).toMatchObject([OUTPUT]);
    expect(samples).toMatchObject([{ stepName: 'catch', type: 'OUTPUT' }]);
    expect(samples.map(outputOf)).toMatchObject([OUTPUT]);
  });

  it('reads the flow for each request', async () => {
    const { findDraft, intake } = setUp();
    for (let n = 0; n < 3; n++) await intake.receive(FLOW.flowId, request());
    expect(findDraft).toHaveBeenCalledTimes(3);
  });

  it('has keys of its own, so that an event which was tried still starts a run of production', async () => {
    const { accepted, intake } = setUp();
    await intake.receive(FLOW.flowId, request({ 'idempotency-key': 'k' }));
    expect(accepted[0]?.idempotencyKey).toBe('draft:k');
  });

  it('keeps no sample of a request that repeats an earlier one', async () => {
    const { samples, intake } = setUp({ replayed: true });
    expect(await intake.receive(FLOW.flowId, request())).toMatchObject({ replayed: true });
    expect(samples).toEqual([]);
  });

  it('answers for the run when only its sample cannot be kept', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const { accepted, intake } = setUp({ samplesFail: true });
    expect(await intake.receive(FLOW.flowId, request())).toEqual({ runId: accepted[0]?.id, replayed: false });
    await expect(intake.keepSample(FLOW.flowId, request())).rejects.toThrow('no database');
  });

  it('only keeps the sample where no run is asked for, of an invalid version too', async () => {
    const { accepted, samples, intake } = setUp({ flow: { isValid: false } });
    await intake.keepSample(FLOW.flowId, request());
    expect(accepted).toEqual([]);
    expect(samples.map(outputOf)).toMatchObject([OUTPUT]);
  });

  it('keeps no request that only a run of its package turns into samples, and names the path that starts one', async () => {
    const packageWebhook = { versionId: 'draft', handshake: null };
    const { samples, intake } = setUp({ flow: { packageWebhook } });
    const path = `/api/v1/webhooks/${FLOW.flowId}/draft`;
    const message = `The trigger of this flow makes its samples in a run: send the request to ${path} instead.`;
    await expect(intake.keepSample(FLOW.flowId, request())).rejects.toMatchObject({
      params: { errors: [{ path: '', message }] },
    });
    expect(samples).toEqual([]);
  });

  it('runs no version with errors, and does not say which, but where its author can read it', async () => {
    const { accepted, samples, intake } = setUp({ flow: { isValid: false } });
    await expect(intake.receive(FLOW.flowId, request())).rejects.toMatchObject({
      code: 'FLOW_VERSION_INVALID',
      message: `The draft of the flow has errors, which POST /api/v1/flows/${FLOW.flowId}/check lists.`,
      params: { problems: [] },
    });
    expect([...accepted, ...samples]).toEqual([]);
  });

  it.each<[string, Situation['flow']]>([
    ['does not exist', null],
    ['has another trigger', { triggerPiece: 'schedule' }],
    ['has no trigger', { triggerPiece: null }],
  ])('knows no flow that %s', async (_, flow) => {
    const { accepted, samples, intake } = setUp({ flow });
    const message = `There is no flow with the id "${FLOW.flowId}" that a webhook starts.`;
    await expect(intake.receive(FLOW.flowId, request())).rejects.toMatchObject({ code: 'ENTITY_NOT_FOUND', message });
    await expect(intake.keepSample(FLOW.flowId, request())).rejects.toMatchObject({ message });
    expect([...accepted, ...samples]).toEqual([]);
  });

  it('asks for no flow by what cannot be an id', async () => {
    const { findDraft, intake } = setUp();
    await expect(intake.receive('nope', request())).rejects.toMatchObject({ code: 'ENTITY_NOT_FOUND' });
    expect(findDraft).not.toHaveBeenCalled();
  });

  it('takes so many requests of a flow in a minute, by all its paths together, and looks for no flow above', async () => {
    const { accepted, findDraft, intake } = setUp({ perMinute: 2 });
    await intake.receive(FLOW.flowId, request());
    await intake.keepSample(FLOW.flowId.toUpperCase(), request());

    await expect(intake.receive(FLOW.flowId, request())).rejects.toThrow(RateLimitedError);
    await expect(intake.keepSample(FLOW.flowId, request())).rejects.toThrow(RateLimitedError);
    expect(findDraft).toHaveBeenCalledTimes(2);
    expect(accepted).toHaveLength(1);
  });

  it('counts no request of a stranger, and no handshake', async () => {
    const authFields = { headerName: 'x-secret', headerValue: 'open' };
    const triggerInput = { authType: 'header', authFields, echoChallenge: { in: 'header', name: 'x-hook-secret' } };
    const { accepted, intake } = setUp({ perMinute: 1, flow: { triggerInput } });
    for (let n = 0; n < 3; n++) {
      await expect(intake.receive(FLOW.flowId, request())).rejects.toThrow(InvalidWebhookSignatureError);
      await expect(intake.keepSample(FLOW.flowId, request())).rejects.toThrow(InvalidWebhookSignatureError);
      await intake.receive(FLOW.flowId, request({ 'x-hook-secret': 'b537' }));
    }

    await intake.receive(FLOW.flowId, request({ 'x-secret': 'open' }));
    await expect(intake.receive(FLOW.flowId, request({ 'x-secret': 'open' }))).rejects.toThrow(RateLimitedError);
    expect(accepted).toHaveLength(1);
  });

  it('reads nothing more for strangers once there are many, and still takes what the right sender sends', async () => {
    const authFields = { headerName: 'x-secret', headerValue: 'open' };
    const triggerInput = { authType: 'header', authFields, echoChallenge: { in: 'header', name: 'x-hook-secret' } };
    const { accepted, samples, findDraft, intake } = setUp({ perMinute: 2, flow: { triggerInput } });

    for (let n = 0; n < 20; n++) {
      await expect(intake.receive(FLOW.flowId, request())).rejects.toThrow(InvalidWebhookSignatureError);
      await expect(intake.keepSample(FLOW.flowId.toUpperCase(), request())).rejects.toThrow(
        InvalidWebhookSignatureError,
      );
      expect(await intake.receive(FLOW.flowId, request({ 'x-hook-secret': 'b537' }))).toHaveProperty('challenge');
    }
    expect(findDraft.mock.calls.length).toBeLessThanOrEqual(2 + SECONDS_AT_MOST);

    const before = findDraft.mock.calls.length;
    await intake.receive(FLOW.flowId, request({ 'x-secret': 'open' }));
    expect(findDraft).toHaveBeenCalledTimes(before + 1);
    expect([accepted.length, samples.map(outputOf)]).toMatchObject([1, [{ headers: { 'x-secret': '**REDACTED**' } }]]);
  });

  it('keeps no sample while there is no room for runs', async () => {
    const gate = {
      admit: () => {
        throw new RateLimitedError(5);
      },
    } as unknown as IntakeGate;
    const { samples, intake } = setUp({ gate });
    await expect(intake.keepSample(FLOW.flowId, request())).rejects.toThrow(RateLimitedError);
    expect(samples).toEqual([]);
  });

  it('takes only requests of the sender that the draft names, and stores no credentials', async () => {
    const authFields = { headerName: 'x-secret', headerValue: 'open' };
    const { accepted, samples, intake } = setUp({ flow: { triggerInput: { authType: 'header', authFields } } });
    for (const refused of [request(), request({ 'x-secret': 'wrong' })]) {
      await expect(intake.receive(FLOW.flowId, refused)).rejects.toThrow(InvalidWebhookSignatureError);
      await expect(intake.keepSample(FLOW.flowId, refused)).rejects.toThrow(InvalidWebhookSignatureError);
    }
    expect([...accepted, ...samples]).toEqual([]);

    await intake.keepSample(FLOW.flowId, request({ 'x-secret': 'open' }));
    expect(samples.map(outputOf)).toMatchObject([{ headers: { 'x-secret': '**REDACTED**' } }]);
  });

  it('answers a handshake and keeps no sample of it', async () => {
    const triggerInput = { echoChallenge: { in: 'header', name: 'x-hook-secret' } };
    const { accepted, samples, intake } = setUp({ flow: { triggerInput } });
    const handshake = request({ 'x-hook-secret': 'b537' });

    for (const received of [
      await intake.receive(FLOW.flowId, handshake),
      await intake.keepSample(FLOW.flowId, handshake),
    ])
      expect(received).toEqual({ challenge: { headers: { 'x-hook-secret': 'b537' }, body: '' } });
    expect([...accepted, ...samples]).toEqual([]);
  });
});
