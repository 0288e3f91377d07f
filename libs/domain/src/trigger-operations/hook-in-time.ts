import { abortAfter, type AbortAfter } from '../abort-after';
import { HOOK_TIMEOUT_MS } from '../flows/trigger-operation';
import { ExecutionSlot } from '../runs/execution-slot';
import type { PendingWrites } from '../store/store-writes';
import type { TriggerHookCall, TriggerHookResult, TriggerHooks } from './trigger-hooks';

export interface HookTime {
  signal: AbortSignal;
  timeoutMs?: number;
  pending?: PendingWrites;
}

/**
 * Calls a hook, which fails when it takes longer than its time. The hook of a run has its time from the moment at which
 * it begins elsewhere: before, it waits for others. Rejects when the signal aborts, and when a service of ours is out of
 * reach.
 */
export async function hookInTime(
  hooks: TriggerHooks,
  call: TriggerHookCall,
  { signal, timeoutMs = HOOK_TIMEOUT_MS, pending = [] }: HookTime,
): Promise<TriggerHookResult> {
  const limit = abortAfter(timeoutMs, signal);
  const { slot } = call;
  try {
    return await hooks.call({ ...call, ...(slot && { slot: new TimedSlot(slot, limit) }) }, pending, limit.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.isOutOfTime) throw error;
    return { kind: 'failed', message: `The trigger did not answer within ${timeoutMs / 1_000} s.` };
  } finally {
    limit.end();
  }
}

/** The slot of a run whose hook has its time only while it executes elsewhere, and not while it waits for its turn. */
class TimedSlot extends ExecutionSlot {
  constructor(
    private readonly slot: ExecutionSlot,
    private readonly limit: AbortAfter,
  ) {
    super();
  }

  override leave(): void {
    this.slot.leave();
  }

  override comeBack(): Promise<void> | undefined {
    return this.slot.comeBack();
  }

  override async whileElsewhere<Result>(work: (begun: () => void) => Promise<Result>): Promise<Result> {
    this.limit.pause();
    const inTime = (leave: () => void): Promise<Result> => {
      const begun = (): void => {
        this.limit.restart();
        leave();
      };
      return work(begun).finally(() => this.limit.pause());
    };
    return this.slot.whileElsewhere(inTime).finally(() => this.limit.restart());
  }
}
