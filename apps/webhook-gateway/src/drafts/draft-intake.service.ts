import { Injectable, Logger, Optional } from '@nestjs/common';
import {
  draftKey,
  FlowVersionInvalidError,
  IntakeGate,
  InvalidRequestError,
  RunIntake,
  SampleDataWriter,
  type DraftFlow,
  type RunPayload,
  type StoredPayload,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import type { ArrivedRequest } from '../intake/inbound-request';
import { WebhookSpans, type Stamp } from '../intake/webhook-spans';
import { idempotencyKey } from '../intake/webhook-intake.service';
import { WebhookPayloads } from '../intake/webhook-payloads';
import { VerifiedDrafts } from './verified-drafts';
import type { AwaitedRun, Received } from '../answers/received';

// Takes webhooks for the latest version of a flow.
//
// D1. The flow is read for each request, so a request meets the version that its author has just saved.
// D2. Nobody signs in here, so a request never makes the service check or compile a version: the version is taken as
//     its last edit left it, whose code was compiled then.
// D3. How often one flow can be tried is bounded, and the bounds of the backlog hold too. What strangers cost is bounded
//     by VerifiedDrafts.

@Injectable()
export class DraftIntake {
  private readonly logger = new Logger(DraftIntake.name);

  constructor(
    private readonly drafts: VerifiedDrafts,
    private readonly runs: RunIntake,
    private readonly payloads: WebhookPayloads,
    private readonly samples: SampleDataWriter,
    private readonly spans: WebhookSpans,
    @Optional() private readonly gate?: IntakeGate,
  ) {}

  /**
   * Accepts a run of the latest version, and keeps its payload as the sample data of the trigger. Throws
   * EntityNotFoundError when the flow does not exist or takes no webhooks, InvalidWebhookSignatureError,
   * FlowVersionInvalidError, RateLimitedError, and the errors of `WebhookPayloads.accept` and RunIntake.accept. A refused request stores nothing.
   */
  receive(flowId: string, sent: ArrivedRequest, awaited?: AwaitedRun): Promise<Received> {
    const route = awaited ? '/draft/sync' : '/draft';
    return this.spans.follow(route, sent, (stamp) => this.accept(flowId, sent, stamp, awaited));
  }

  private async accept(flowId: string, sent: ArrivedRequest, stamp: Stamp, awaited?: AwaitedRun): Promise<Received> {
    const { flow, check, verified } = await this.drafts.of(flowId, sent);
    if ('challenge' in verified) return verified;
    if (!flow.isValid) throw draftInvalid(flow);
    const run = {
      id: awaited?.id ?? newId(),
      projectId: flow.projectId,
      flowId: flow.flowId,
      flowVersionId: flow.versionId,
      environment: 'TESTING',
      triggeredBy: 'webhook',
      triggerType: 'WEBHOOK',
      idempotencyKey: idempotencyKey(sent.headers, check, draftKey),
      ...(awaited && { isAwaited: true }),
    } as const;
    return this.payloads.accept(stamp(verified.request), run, async (payload) => {
      const acceptance = await this.runs.accept({ ...run, payload });
      // The items that a package makes of the request are samples of its trigger, but not the request.
      if (!acceptance.replayed && !flow.packageWebhook) await this.keepWithRun(run.id, flow, payload);
      return acceptance;
    });
  }

  /** Keeps the payload as the sample data of the trigger and starts no run. Throws as `receive` does. */
  async keepSample(flowId: string, sent: ArrivedRequest): Promise<Received> {
    const { flow, verified } = await this.drafts.of(flowId, sent);
    if ('challenge' in verified) return verified;
    if (flow.packageWebhook) throw new InvalidRequestError([makesItems(flowId)]);
    this.gate?.admit(flow.projectId);
    const id = newId();
    return this.payloads.accept(verified.request, { id, projectId: flow.projectId }, async (payload) => {
      await this.keep(flow, payload);
      return { runId: id, replayed: false };
    });
  }

  /** The run is accepted already, so a failure is only logged. */
  private async keepWithRun(runId: string, flow: DraftFlow, payload: RunPayload | StoredPayload): Promise<void> {
    try {
      await this.keep(flow, payload);
    } catch (error) {
      const { flowId, projectId } = flow;
      const msg = `The sample data of the trigger of flow ${flowId} could not be kept: ${String(error)}`;
      this.logger.warn({ msg, runId, flowId, projectId });
    }
  }

  private keep({ flowId, triggerName }: DraftFlow, payload: RunPayload | StoredPayload): Promise<void> {
    return this.samples.save(flowId, [{ stepName: triggerName, type: 'OUTPUT', payload, isEvent: true }]);
  }
}

const makesItems = (flowId: string) => ({
  path: '',
  message:
    'The trigger of this flow makes its samples in a run: send the request to ' +
    `/api/v1/webhooks/${flowId}/draft instead.`,
});

/** A stranger may ask, so the answer does not say what is wrong, but where its author can read it. */
const draftInvalid = ({ flowId, versionId }: DraftFlow): FlowVersionInvalidError =>
  new FlowVersionInvalidError(
    versionId,
    [],
    `The draft of the flow has errors, which POST /api/v1/flows/${flowId}/check lists`,
  );
