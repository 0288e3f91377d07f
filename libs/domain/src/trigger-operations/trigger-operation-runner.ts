import type { LiveTrigger } from '../flows/trigger-registry';
import type { PieceCatalogue } from '../pieces/piece-catalogue';
import type { PieceRef } from '../pieces/piece-package';
import { MOST_TRIGGER_EVENTS } from '../triggers/trigger-events';
import {
  HOOK_TIMEOUT_MS,
  MOST_OPERATION_ATTEMPTS,
  retryAfterMs,
  type AppListening,
  type ClaimedOperation,
  type OperationEnding,
  type TriggerOperations,
} from '../flows/trigger-operation';
import { mergeWrites, type StoreWrite } from '../store/store-writes';
import type { TriggerHook } from '../triggers/trigger-hook';
import { hookInTime } from './hook-in-time';
import type { AppListener, TriggerHookCall, TriggerHookResult, TriggerHooks } from './trigger-hooks';

/**
 * How long the hooks of one attempt to disable may take together, in milliseconds. An attempt counts as lost a while
 * later, and what a lost attempt has done is never settled.
 */
const ATTEMPT_BUDGET_MS = 59_000;

/** Whether a trigger has a hook, as far as its piece is known. */
export function hasHook(pieces: PieceCatalogue, { trigger }: LiveTrigger, hook: TriggerHook): boolean {
  if (trigger.type === 'EMPTY') return false;
  const { pieceName, pieceVersion, triggerName } = trigger.settings;
  return pieces.findTrigger(pieceName, pieceVersion, triggerName)?.hooks.includes(hook) ?? false;
}

/** Why the hooks of a trigger cannot be called whose piece is unknown, in one sentence. */
export function missingPiece(live: Pick<LiveTrigger, 'trigger'>): string {
  const [piece] = pieceOf(live);
  return piece ? `The piece ${piece.name} ${piece.version} is not installed.` : 'The flow has no trigger.';
}

/** The piece of a trigger, to be made known before it is looked up. */
export function pieceOf(live: Pick<LiveTrigger, 'trigger'> | null): PieceRef[] {
  if (!live || live.trigger.type === 'EMPTY') return [];
  const { pieceName: name, pieceVersion: version } = live.trigger.settings;
  return [{ name, version }];
}

/** Performs operations of triggers: it calls their hooks, and settles each attempt in one transaction. */
export class TriggerOperationRunner {
  constructor(
    private readonly operations: TriggerOperations,
    private readonly hooks: TriggerHooks,
    private readonly pieces: PieceCatalogue,
    private readonly hookTimeoutMs = HOOK_TIMEOUT_MS,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Rejects when the signal aborts, and when a service of ours is out of reach. */
  async perform(operationId: string, epoch: number, signal: AbortSignal): Promise<void> {
    const operation = await this.operations.claim(operationId, epoch);
    if (!operation) return;
    const { off, on, restore } = operation;
    await this.pieces.know([...off, on, restore].flatMap(pieceOf));
    const endsAt = this.now() + ATTEMPT_BUDGET_MS;
    const hasTimeFor = (hooks: number) => endsAt - this.now() >= hooks * this.hookTimeoutMs;
    const time = { signal, timeoutMs: this.hookTimeoutMs };
    const call: CallHook = (hook, pending) => hookInTime(this.hooks, hook, { ...time, pending });
    const attempt = new Attempt(operation, call, hasTimeFor, this.pieces);
    await this.operations.settle(operation, await attempt.perform());
  }
}

type CallHook = (call: TriggerHookCall, pending: readonly StoreWrite[]) => Promise<TriggerHookResult>;

class Attempt {
  private writes: readonly StoreWrite[] = [];
  /** Absent until a hook has changed it. */
  private listening: readonly AppListening[] | undefined;

  constructor(
    private readonly operation: ClaimedOperation,
    private readonly callHook: CallHook,
    private readonly hasTimeFor: (hooks: number) => boolean,
    private readonly pieces: PieceCatalogue,
  ) {}

  async perform(): Promise<OperationEnding> {
    const ending = await this.ending();
    return this.listening === undefined ? ending : { ...ending, listening: this.listening };
  }

  private async ending(): Promise<OperationEnding> {
    const { kind, on } = this.operation;
    if (kind === 'TESTING') return on ? this.test(on) : { kind: 'succeeded', writes: [] };
    const { left, problem } = await this.disable();
    if (left.length > 0 && this.mayRetry) return this.retry(left, problem);
    const enabled = on ? await this.call('onEnable', on) : null;
    if (enabled?.kind === 'failed') return this.afterFailedEnabling(enabled.message);
    if (left.length > 0 && kind === 'DISABLING') return { kind: 'failed', writes: this.writes, problem, listens: true };
    return { kind: 'succeeded', writes: this.writes };
  }

  /** What a test changes in the store is dropped. */
  private async test(live: LiveTrigger): Promise<OperationEnding> {
    const result = await this.callHook({ hook: 'test', live }, []);
    if (result.kind === 'done') return { kind: 'succeeded', writes: [], value: firstOf(result.value) };
    return { kind: 'failed', writes: [], problem: result.message, listens: true };
  }

  /** What there is no time for is left too, and comes first in the next attempt. */
  private async disable(): Promise<{ left: LiveTrigger[]; problem: string }> {
    const { kind, off, on } = this.operation;
    const left: LiveTrigger[] = [];
    let problem = '';
    for (const [index, live] of off.entries()) {
      if (kind === 'DISABLING' && index > 0 && !this.hasTimeFor(on ? 2 : 1)) {
        return { left: [...off.slice(index), ...left], problem: problem || 'Not all triggers are disabled yet.' };
      }
      const result = await this.call('onDisable', live);
      if (result.kind === 'done') continue;
      left.push(live);
      problem = `The trigger could not be disabled: ${result.message}`;
    }
    return { left, problem };
  }

  private async afterFailedEnabling(problem: string): Promise<OperationEnding> {
    const { kind, restore } = this.operation;
    if (kind === 'DISABLING' && this.mayRetry) return this.retry([], problem);
    const restored = kind === 'ENABLING' && restore ? await this.call('onEnable', restore) : null;
    return { kind: 'failed', writes: this.writes, problem, listens: restored?.kind === 'done' };
  }

  private retry(off: readonly LiveTrigger[], problem: string): OperationEnding {
    return { kind: 'retry', afterMs: retryAfterMs(this.operation.attempt), writes: this.writes, off, problem };
  }

  /** Nobody waits for an operation that disables, so it is tried again. */
  private get mayRetry(): boolean {
    return this.operation.kind === 'DISABLING' && this.operation.attempt < MOST_OPERATION_ATTEMPTS;
  }

  /** Nobody knows which hooks the trigger of an unknown piece has. */
  private isMissing({ trigger }: LiveTrigger): boolean {
    if (trigger.type === 'EMPTY') return false;
    const { pieceName, pieceVersion, triggerName } = trigger.settings;
    return this.pieces.findTrigger(pieceName, pieceVersion, triggerName) === null;
  }

  /** A trigger without the hook has nothing to do. */
  private async call(hook: TriggerHook, live: LiveTrigger): Promise<TriggerHookResult> {
    const isMissing = this.isMissing(live);
    if (!isMissing && !hasHook(this.pieces, live, hook)) return { kind: 'done', value: null, effects: { writes: [] } };
    const isRepublish = this.operation.restore !== null;
    // The events of an app are this service's to give, so no hook has to agree before a flow hears no more of them.
    if (hook === 'onDisable') this.listening = [];
    if (isMissing) return { kind: 'failed', message: missingPiece(live) };
    const result = await this.callHook({ hook, live, isRepublish }, this.writes);
    if (result.kind !== 'done') return result;
    const { writes, listeners = [] } = result.effects;
    this.writes = mergeWrites(this.writes, writes);
    if (hook === 'onEnable' && listeners.length > 0) this.listening = listeningOf(live, listeners);
    return result;
  }
}

function listeningOf({ trigger }: LiveTrigger, listeners: readonly AppListener[]): AppListening[] {
  const pieceName = trigger.type === 'PIECE_TRIGGER' ? trigger.settings.pieceName : '';
  return listeners.flatMap(({ events, identifierValue }) =>
    events.map((event) => ({ pieceName, event, identifierValue })),
  );
}

/** A test shows a few items, and the newest items come first. */
const firstOf = (items: unknown): unknown => (Array.isArray(items) ? items.slice(0, MOST_TRIGGER_EVENTS) : items);
