import { abortAfter } from '../abort-after';
import { HOOK_TIMEOUT_MS } from '../flows/trigger-operation';
import type { PendingWrites } from '../store/store-writes';
import type { TriggerHookCall, TriggerHookResult, TriggerHooks } from './trigger-hooks';

export interface HookTime {
  signal: AbortSignal;
  timeoutMs?: number;
  pending?: PendingWrites;
}

/**
 * Calls a hook, which fails when it takes longer than its time. Rejects when the signal aborts, and when a service of
 * ours is out of reach.
 */
export async function hookInTime(
  hooks: TriggerHooks,
  call: TriggerHookCall,
  { signal, timeoutMs = HOOK_TIMEOUT_MS, pending = [] }: HookTime,
): Promise<TriggerHookResult> {
  const limit = abortAfter(timeoutMs, signal);
  try {
    return await hooks.call(call, pending, limit.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.isOutOfTime) throw error;
    return { kind: 'failed', message: `The trigger did not answer within ${timeoutMs / 1_000} s.` };
  } finally {
    limit.end();
  }
}
