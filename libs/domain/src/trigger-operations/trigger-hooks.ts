import type { StoredText } from '../connections/value-references';
import type { LiveTrigger } from '../flows/trigger-registry';
import type { ExecutionSlot } from '../runs/execution-slot';
import type { PendingWrites, StoreWrite } from '../store/store-writes';
import type { AskedSchedule } from '../triggers/trigger-plan';
import type { TriggerPayload } from '../triggers/trigger-payload';
import type { TriggerHook } from '../triggers/trigger-hook';

// The hooks by which a trigger takes part in the life of its flow. Pieces of ours and packages have the same hooks.
//
// H1. A hook may be called again after a crash, with the same arguments, and must then do no harm.
// H2. A hook changes the store only through its context. The changes are kept back, and are written in one transaction
//     with what the hook was called for: the outcome of an enabling, or the runs that `run` has found.
// H3. A trigger without a hook is never called, so a flow whose trigger has no hooks pays nothing for them.

export interface TriggerHookCall {
  hook: TriggerHook;
  live: LiveTrigger;
  /** The flow was enabled before, and only its version changes. */
  isRepublish?: boolean;
  /** The payload of `run` and `onHandshake`. */
  payload?: TriggerPayload;
  /** The slot of the run for which the hook is called. The run leaves it while the hook goes on in another process. */
  slot?: ExecutionSlot;
}

/** Events of an app with one webhook URL for all its users; `identifierValue` says whose events they are. */
export interface AppListener {
  events: readonly string[];
  identifierValue: string;
}

export interface TriggerHookEffects {
  writes: readonly StoreWrite[];
  schedule?: AskedSchedule;
  listeners?: readonly AppListener[];
}

export type TriggerHookResult =
  /** `items` are those of `run`, in the form in which runs store them. */
  | { kind: 'done'; value: unknown; effects: TriggerHookEffects; items?: readonly StoredText[] }
  /** The message is one sentence for the author of the flow, without secrets. */
  | { kind: 'failed'; message: string };

/** Calls the hooks of triggers. */
export abstract class TriggerHooks {
  /**
   * Calls a hook that the trigger has. A failing hook is a result. Rejects when the signal aborts, and with
   * ServiceUnavailableError when a service of ours is out of reach.
   */
  abstract call(call: TriggerHookCall, pending: PendingWrites, signal: AbortSignal): Promise<TriggerHookResult>;
}
