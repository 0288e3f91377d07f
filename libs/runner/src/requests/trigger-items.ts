import {
  Clock,
  createdAt,
  hookInTime,
  isHandshake,
  isWebhook,
  missingPiece,
  PieceCatalogue,
  pieceOf,
  SampleDataWriter,
  TriggerHooks,
  triggerPayload,
  TriggerRequests,
  type CatalogueTrigger,
  type ExecutionSlot,
  type LiveTrigger,
  type MadeItems,
  type RunClaim,
  type RunResponse,
  type RunToExecute,
  type StoredText,
  type WebhookPayload,
} from '@millrace/domain';
import type { CompiledFlow } from '@millrace/engine';
import { Injectable, Logger } from '@nestjs/common';

/** A run whose payload is a request from which its trigger makes the items. */
export interface RequestedRun {
  run: RunToExecute & { payload: WebhookPayload };
  live: LiveTrigger;
}

/** What the trigger made of the request, or why it failed, as one sentence. A handshake has an answer and no items. */
export type AskedTrigger =
  | ({ kind: 'made'; response: RunResponse | null } & MadeItems)
  | { kind: 'failed'; message: string };

/** What `onHandshake` gives. */
type HandshakeAnswer = Pick<RunResponse, 'status' | 'body'> & Partial<RunResponse>;

const NOTHING_MADE = { kind: 'made', items: [], writes: [], response: null } as const;
/** Nobody waits for the answer to a handshake for longer. */
const LONGEST_HANDSHAKE_MS = 60_000;

/** Has triggers make the items of the requests that started runs. */
@Injectable()
export class TriggerItems {
  private readonly logger = new Logger(TriggerItems.name);
  /** The flows whose trigger is known not to make items. Runs of the hot path are looked up here alone. */
  private readonly withoutItems = new WeakSet<CompiledFlow>();

  constructor(
    private readonly hooks: TriggerHooks,
    private readonly pieces: PieceCatalogue,
    private readonly requests: TriggerRequests,
    private readonly samples: SampleDataWriter,
    private readonly clock: Clock,
  ) {}

  /** Whether the trigger of the flow may make items of requests. */
  mayMakeItems(flow: CompiledFlow): boolean {
    return !this.withoutItems.has(flow);
  }

  /** The run, when its trigger has yet to make the items of its request, also when the trigger is gone; otherwise null. */
  async find(run: RunToExecute, flow: CompiledFlow): Promise<RequestedRun | null> {
    const { payload, flowId, projectId, flowVersionId } = run;
    if (!isWebhook(payload)) return null;
    const live = { flowId, projectId, flowVersionId, trigger: flow.trigger.written };
    await this.pieces.know(pieceOf(live));
    const known = triggerOf(this.pieces, live);
    if (known && !known.hooks.includes('run')) {
      this.withoutItems.add(flow);
      return null;
    }
    return live.trigger.type === 'EMPTY' ? null : { run: { ...run, payload }, live };
  }

  /** Rejects when the signal aborts, and when a service of ours is out of reach. */
  async ask({ run, live }: RequestedRun, signal: AbortSignal, slot?: ExecutionSlot): Promise<AskedTrigger> {
    // The steps of the run must not take the request for an item, so a trigger that is gone fails the run.
    if (!triggerOf(this.pieces, live)) return { kind: 'failed', message: missingPiece(live) };
    const payload = triggerPayload(run.payload);
    const hook = this.isHandshake({ run, live }) ? 'onHandshake' : 'run';
    if (hook === 'onHandshake' && this.ageOf(run) > LONGEST_HANDSHAKE_MS) return NOTHING_MADE;
    const call = { hook, live, payload, ...(slot && { slot }) } as const;
    const result = await hookInTime(this.hooks, call, { signal });
    if (result.kind === 'failed') return result;
    const { items = [], value } = result;
    const { writes } = result.effects;
    if (hook === 'run') return { kind: 'made', items, writes, response: null };
    return { kind: 'made', items: [], writes, response: { headers: {}, ...(value as HandshakeAnswer) } };
  }

  /** False, and nothing is written, when the claim has passed. */
  async settle({ run, live }: RequestedRun, claim: RunClaim, made: MadeItems): Promise<boolean> {
    if (!(await this.requests.settle(run, claim, made))) return false;
    const [first] = made.items;
    if (first !== undefined && run.environment === 'TESTING') await this.keepSample(run, live.trigger.name, first);
    return true;
  }

  private ageOf({ id }: RunToExecute): number {
    return this.clock.now().getTime() - createdAt(id).getTime();
  }

  private isHandshake({ run, live }: RequestedRun): boolean {
    const sign = triggerOf(this.pieces, live)?.handshake ?? null;
    const { headers, queryParams } = JSON.parse(run.payload.request) as { headers: object; queryParams: unknown };
    const arrived = { headers: { ...headers }, queryParams, rawBody: run.payload.rawBody };
    return isHandshake(sign, arrived);
  }

  /** The items are on record already, so a failure is only logged. */
  private async keepSample(run: RunToExecute, stepName: string, payload: StoredText): Promise<void> {
    await this.samples
      .save(run.flowId, [{ stepName, type: 'OUTPUT', payload, isEvent: true }])
      .catch((error: unknown) => {
        const { id: runId, flowId, projectId } = run;
        const msg = `The sample data of the trigger of flow ${flowId} could not be kept: ${String(error)}`;
        this.logger.warn({ msg, runId, flowId, projectId });
      });
  }
}

function triggerOf(pieces: PieceCatalogue, { trigger }: LiveTrigger): CatalogueTrigger | null {
  if (trigger.type === 'EMPTY') return null;
  const { pieceName, pieceVersion, triggerName } = trigger.settings;
  return pieces.findTrigger(pieceName, pieceVersion, triggerName);
}
