import type { FlowVersionReader } from '../flows/flow-version.reader';
import { HOOK_TIMEOUT_MS } from '../flows/trigger-operation';
import { hookInTime } from './hook-in-time';
import type { TriggerHooks } from './trigger-hooks';
import { NOT_RENEWED, type DueRenewal, type TriggerRenewals } from './trigger-renewals';

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
    const live = { flowId, projectId, flowVersionId, trigger };
    const time = { signal, timeoutMs: this.hookTimeoutMs };
    const result = await hookInTime(this.hooks, { hook: 'onRenew', live }, time);
    await this.renewals.settle(
      renewal,
      result.kind === 'done'
        ? { kind: 'renewed', writes: result.effects.writes }
        : { kind: 'failed', message: `${NOT_RENEWED}${result.message}` },
    );
  }
}
