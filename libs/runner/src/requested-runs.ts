import {
  isWebhook,
  payloadLength,
  type RunClaim,
  type RunJournal,
  type RunResponse,
  type RunToExecute,
} from '@millrace/domain';
import type { CompiledFlow } from '@millrace/engine';
import type { OwnedRuns } from './ownership/owned-runs';
import type { RunServices } from './ownership/run-services';
import type { DeliveryResult, RunDelivery } from './run-delivery';
import type { RunEndings } from './run-endings';
import { SlotOfWalk, type RunSlot } from './slots/run-slot';
import type { AskedTrigger, RequestedRun, TriggerItems } from './requests/trigger-items';

/** What came of a claim under which a trigger was asked. The claim was given up, so that others may take the run. */
type Asked = DeliveryResult | 'resumed' | { failed: string; epoch: number } | { trouble: unknown };

const NO_CONTENT: RunResponse = { status: 204, headers: {}, body: null };

/** Has the triggers of runs make the items of their requests, before the runs begin. */
export class RequestedRuns {
  constructor(
    private readonly journal: RunJournal,
    private readonly owned: OwnedRuns,
    private readonly services: RunServices,
    private readonly endings: RunEndings,
  ) {}

  /** Whether `prepare` has to be asked before the run begins. */
  isFor({ payload, testStep }: RunToExecute, flow: CompiledFlow): boolean {
    return isWebhook(payload) && testStep === null && (this.services.triggerItems?.mayMakeItems(flow) ?? false);
  }

  /**
   * Returns null when the run can begin as it is. `resumed` means that it can begin when it is loaded again. Rejects only
   * because of the service's own trouble; the request is then as it was.
   */
  async prepare(
    run: RunToExecute,
    flow: CompiledFlow,
    { slot }: RunDelivery,
  ): Promise<DeliveryResult | 'resumed' | null> {
    const { triggerItems: items } = this.services;
    const requested = await items?.find(run, flow);
    if (!items || !requested) return null;
    const asked = await this.owned.holding(run, (claim, signal) =>
      this.askUnder(items, requested, { claim, signal, slot }),
    );
    if (asked === null || typeof asked === 'string') return asked ?? 'discarded';
    if ('trouble' in asked) throw asked.trouble;
    const { name, displayName } = flow.trigger;
    const step = { name, displayName, message: asked.failed };
    return this.endings.asRecorded({ ...run, epoch: asked.epoch }, { kind: 'failed', step, reason: null });
  }

  private async askUnder(
    items: TriggerItems,
    requested: RequestedRun,
    { claim, signal, slot }: { claim: RunClaim; signal: AbortSignal; slot: RunSlot | undefined },
  ): Promise<Asked | null> {
    const heldBytes = payloadLength(requested.run.payload);
    let asked: AskedTrigger;
    try {
      asked = await items.ask(requested, signal, slot && new SlotOfWalk(slot, { heldBytes, signal }));
    } catch (error) {
      if (signal.reason === 'claimLost' || !(await this.journal.release(claim))) return null;
      return signal.aborted ? 'reenqueue' : { trouble: error };
    }
    if (asked.kind === 'made')
      return (await items.settle(requested, claim, asked)) ? this.made(requested, asked) : null;
    return (await this.journal.release(claim)) ? { failed: asked.message, epoch: claim.epoch + 1 } : null;
  }

  /** A request without items leaves no run, but perhaps a sender that waits for an answer. */
  private async made(
    { run }: RequestedRun,
    { items, response }: Extract<AskedTrigger, { kind: 'made' }>,
  ): Promise<'resumed' | 'ended'> {
    if (items.length > 0) return 'resumed';
    if (run.isAwaited)
      await this.services.events.answered(run.id, { status: 'SUCCEEDED', response: response ?? NO_CONTENT });
    return 'ended';
  }
}
