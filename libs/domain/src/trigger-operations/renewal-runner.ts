import { abortAfter } from '../abort-after';
import type { FlowVersionReader } from '../flows/flow-version.reader';
import { HOOK_TIMEOUT_MS } from '../flows/trigger-operation';
import type { TriggerHooks, TriggerHookResult } from './trigger-hooks';
import type { DueRenewal, TriggerRenewals } from './trigger-renewals';

/** Calls `onRenew` of triggers. */
export class RenewalRunner {
  constructor(
    private readonly renewals: TriggerRenewals,
    private readonly versions: FlowVersionReader,
    private readonly hooks: TriggerHooks,
    private readonly hookTimeoutMs = HOOK_TIMEOUT_MS,
  ) {}

  /** Rejects when the signal aborts, and when a service of ours is out of reach. */
  async renew(renewal: DueRenewal, signal: AbortSignal): Promise<void> {
    if (!(await this.renewals.isHeld(renewal))) return;
    const { flowId, projectId, flowVersionId } = renewal;
    const { trigger } = await this.versions.getVersion(flowVersionId);
    const result = await this.call({ flowId, projectId, flowVersionId, trigger }, signal);
    await this.renewals.settle(
      renewal,
      result.kind === 'done'
        ? { kind: 'renewed', writes: result.effects.writes }
        : { kind: 'failed', message: `The trigger could not be renewed: ${result.message}` },
    );
  }

  private async call(
    live: Parameters<TriggerHooks['call']>[0]['live'],
    signal: AbortSignal,
  ): Promise<TriggerHookResult> {
    const limit = abortAfter(this.hookTimeoutMs, signal);
    try {
      return await this.hooks.call({ hook: 'onRenew', live }, [], limit.signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!limit.isOutOfTime) throw error;
      return { kind: 'failed', message: `It did not answer within ${this.hookTimeoutMs / 1_000} s.` };
    } finally {
      limit.end();
    }
  }
}
