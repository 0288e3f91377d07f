import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceUnavailableError } from '../errors/service-unavailable.error';
import type { LiveTrigger } from '../flows/trigger-registry';
import type { PieceCatalogue } from '../pieces/piece-catalogue';
import type { PieceRef } from '../pieces/piece-package';
import { MOST_TRIGGER_EVENTS } from '../triggers/trigger-events';
import {
  HOOK_TIMEOUT_MS,
  MOST_OPERATION_ATTEMPTS,
  OPERATION_CLAIM_MS,
  retryAfterMs,
  type AppListening,
  type ClaimedOperation,
  type LeftTriggers,
  type NextAttempt,
  type OperationEnding,
  type TriggerOperations,
  type TriggerToDisable,
} from '../flows/trigger-operation';
import { mergeWrites, type StoreWrite } from '../store/store-writes';
import type { TriggerHook } from '../triggers/trigger-hook';
import { disabledNow, disablingProblem, joinSentences, notRegisteredAgain, triggerOf } from './disabling-problem';
import { hookInTime } from './hook-in-time';
import type { AppListener, TriggerHookCall, TriggerHookResult, TriggerHooks } from './trigger-hooks';

/**
 * How long the hooks of one attempt may take together, in milliseconds, but for an `onEnable` that follows a failed one.
 * What an attempt has done that outlasts its claim is never settled.
 */
const ATTEMPT_BUDGET_MS = 59_000;

/** An ending is written last so long before the claim ends, in milliseconds. */
const SETTLED_BEFORE_MS = 5_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

const NOT_YET = 'Not all triggers are disabled yet.';

/** Whether a trigger has a hook, as far as its piece is known. */
export const hasHook = (pieces: PieceCatalogue, live: LiveTrigger, hook: TriggerHook): boolean =>
  triggerOf(pieces, live)?.hooks.includes(hook) ?? false;

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
    private readonly random: () => number = Math.random,
  ) {}

  /** Rejects when the signal aborts, and when a service of ours is out of reach. */
  async perform(operationId: string, epoch: number, signal: AbortSignal): Promise<void> {
    const startedAt = this.now();
    const operation = await this.operations.claim(operationId, epoch);
    if (!operation) return;
    const { off, on, restore } = operation;
    await this.pieces.know([...off, on, restore].flatMap(pieceOf));
    const hasTimeFor = (hooks: number) => startedAt + ATTEMPT_BUDGET_MS - this.now() >= hooks * this.hookTimeoutMs;
    const time = { signal, timeoutMs: this.hookTimeoutMs };
    const call: CallHook = (hook, pending) => hookInTime(this.hooks, hook, { ...time, pending });
    const attempt = new Attempt(operation, call, hasTimeFor, this.pieces, this.random);
    const ending = await attempt.perform();
    await this.settle(operation, ending, { until: startedAt + OPERATION_CLAIM_MS - SETTLED_BEFORE_MS, signal });
  }

  /**
   * What the hooks have registered is known here alone, so the ending is written again while the database is away, until
   * the worker stops or the claim ends. One that was written without an answer is not written twice.
   */
  private async settle(
    operation: ClaimedOperation,
    ending: OperationEnding,
    { until, signal }: { until: number; signal: AbortSignal },
  ): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return await this.operations.settle(operation, ending);
      } catch (error) {
        if (!(error instanceof ServiceUnavailableError) || this.now() + pauseMs > until) throw error;
        await sleep(pauseMs * (0.5 + this.random() / 2), undefined, { signal });
      }
    }
  }
}

type CallHook = (call: TriggerHookCall, pending: readonly StoreWrite[]) => Promise<TriggerHookResult>;

interface Disabled {
  done: readonly TriggerToDisable[];
  left: readonly TriggerToDisable[];
  /** Why the last of `left` is not disabled. */
  message: string;
}

class Attempt {
  private writes: readonly StoreWrite[] = [];
  /** Absent until a hook has changed it. */
  private listening: readonly AppListening[] | undefined;

  constructor(
    private readonly operation: ClaimedOperation,
    private readonly callHook: CallHook,
    private readonly hasTimeFor: (hooks: number) => boolean,
    private readonly pieces: PieceCatalogue,
    private readonly random: () => number,
  ) {}

  async perform(): Promise<OperationEnding> {
    const ending = await this.ending();
    return this.listening === undefined ? ending : { ...ending, listening: this.listening };
  }

  private async ending(): Promise<OperationEnding> {
    const { kind, on } = this.operation;
    if (kind === 'TESTING') return on ? this.test(on) : { kind: 'succeeded', writes: [] };
    const disabled = await this.disable();
    return on ? this.enable(on, disabled) : this.afterDisabling(disabled);
  }

  /** What a test changes in the store is dropped. */
  private async test(live: LiveTrigger): Promise<OperationEnding> {
    const result = await this.callHook({ hook: 'test', live }, []);
    if (result.kind === 'done') return { kind: 'succeeded', writes: [], value: firstOf(result.value) };
    return { kind: 'failed', writes: [], problem: result.message, listens: true };
  }

  /**
   * What there is no time for is left too, and comes first the next time. What was left once already does not hold
   * up the trigger that is to listen.
   */
  private async disable(): Promise<Disabled> {
    const { off, on } = this.operation;
    const called = on ? off.filter(({ kept }) => !kept) : off;
    const done: TriggerToDisable[] = [];
    const left: TriggerToDisable[] = off.filter((live) => !called.includes(live));
    let message = NOT_YET;
    for (const [index, live] of called.entries()) {
      if (index > 0 && !this.hasTimeFor(on ? 2 : 1)) {
        return { done, left: [...called.slice(index), ...left], message };
      }
      const result = await this.call('onDisable', live);
      if (result.kind === 'done') done.push(live);
      else {
        left.push(live);
        message = result.message;
      }
    }
    return { done, left, message };
  }

  private async enable(on: LiveTrigger, { left, message }: Disabled): Promise<OperationEnding> {
    const enabled = await this.call('onEnable', on);
    if (enabled.kind === 'failed') return this.afterFailedEnabling(enabled.message, { left, message });
    if (left.length === 0) return { kind: 'succeeded', writes: this.writes };
    if (this.operation.kind === 'ENABLING')
      return { kind: 'succeeded', writes: this.writes, ...this.leftOver({ left, message }, true) };
    return this.again({ off: overtaken(left), on: null, restore: on }, { left, message });
  }

  /** Nobody waits for an operation that disables, so it is tried again. */
  private afterDisabling({ done, left, message }: Disabled): OperationEnding {
    const { restore } = this.operation;
    const isToRegister = restore !== null && this.isToRegisterAgain(restore, done);
    // A registration anew may leave an earlier one of the same trigger, which would lead to the next one without end.
    const startsOver = isToRegister && done.some(({ flowVersionId }) => flowVersionId !== restore.flowVersionId);
    if (isToRegister && (startsOver || this.operation.attempt <= MOST_OPERATION_ATTEMPTS / 2)) {
      const problem = left.length > 0 ? this.problem(left, message, restore) : null;
      return { ...this.retry({ off: [...left, restore], on: restore, restore }, problem, 0), startsOver };
    }
    if (isToRegister && left.length === 0) {
      return { kind: 'failed', writes: this.writes, problem: notRegisteredAgain(this.pieces, restore), listens: true };
    }
    if (left.length === 0) return { kind: 'succeeded', writes: this.writes };
    return this.again({ off: left, on: null, restore }, { left, message });
  }

  private async afterFailedEnabling(
    problem: string,
    disabled: Pick<Disabled, 'left' | 'message'>,
  ): Promise<OperationEnding> {
    const { kind, on, restore } = this.operation;
    const { left, message } = disabled;
    const { writes } = this;
    if (kind === 'DISABLING') {
      if (this.mayRetry) return this.retry({ off: left, on, restore }, problem);
      const stays = left.length > 0 ? joinSentences([problem, this.problem(left, message, null, true)]) : problem;
      return { kind: 'failed', writes, problem: stays, listens: false };
    }
    const restored = restore ? await this.call('onEnable', restore) : null;
    const listens = restored?.kind === 'done';
    const told = restored?.kind === 'failed' ? disabledNow(problem, restored.message) : problem;
    return { kind: 'failed', writes: this.writes, problem: told, listens, ...this.leftOver(disabled, listens) };
  }

  /** Tries again to disable what is left, unless that was tried often enough. */
  private again(next: NextAttempt, { left, message }: Pick<Disabled, 'left' | 'message'>): OperationEnding {
    const problem = this.problem(left, message, next.restore, !this.mayRetry);
    if (this.mayRetry) return this.retry(next, problem);
    return { kind: 'failed', writes: this.writes, problem, listens: true };
  }

  private retry(
    next: NextAttempt,
    problem: string | null,
    afterMs?: number,
  ): Extract<OperationEnding, { kind: 'retry' }> {
    const restMs = afterMs ?? retryAfterMs(this.operation.attempt, this.random());
    return { kind: 'retry', afterMs: restMs, writes: this.writes, next, problem };
  }

  private get mayRetry(): boolean {
    return this.operation.attempt < MOST_OPERATION_ATTEMPTS;
  }

  private leftOver({ left, message }: Pick<Disabled, 'left' | 'message'>, listens: boolean): { left?: LeftTriggers } {
    if (left.length === 0) return {};
    const { on, restore } = this.operation;
    const problem = this.problem(left, message, listens ? (on ?? restore) : null);
    return { left: { off: listens ? overtaken(left) : left, problem } };
  }

  private problem(
    left: readonly LiveTrigger[],
    message: string,
    listening: LiveTrigger | null,
    isGivenUp = false,
  ): string {
    const [first] = left;
    return first ? disablingProblem(this.pieces, first, { message, isOvertaken: listening !== null, isGivenUp }) : '';
  }

  /**
   * The other service may have one webhook per URL, and may have removed that of the trigger which listens. A trigger
   * without `onDisable` is not registered again: nobody would end this operation when its flow is disabled.
   */
  private isToRegisterAgain(listening: LiveTrigger, done: readonly LiveTrigger[]): boolean {
    const [piece] = pieceOf(listening);
    const isOfSamePiece = done.some((live) => pieceOf(live)[0]?.name === piece?.name);
    return (
      isOfSamePiece &&
      triggerOf(this.pieces, listening)?.resultType === 'WEBHOOK' &&
      hasHook(this.pieces, listening, 'onEnable') &&
      hasHook(this.pieces, listening, 'onDisable')
    );
  }

  /** Nobody knows which hooks the trigger of an unknown piece has. */
  private isMissing(live: LiveTrigger): boolean {
    return live.trigger.type !== 'EMPTY' && triggerOf(this.pieces, live) === null;
  }

  /** A trigger without the hook has nothing to do. */
  private async call(hook: TriggerHook, live: TriggerToDisable): Promise<TriggerHookResult> {
    const isMissing = this.isMissing(live);
    if (!isMissing && !hasHook(this.pieces, live, hook)) return { kind: 'done', value: null, effects: { writes: [] } };
    const { on, restore } = this.operation;
    // The events of an app are this service's to give, so no hook has to agree before a flow hears no more of them.
    if (hook === 'onDisable' && (on !== null || restore === null)) this.listening = [];
    if (isMissing) return { kind: 'failed', message: missingPiece(live) };
    const { kept = [], ...called } = live;
    const pending = mergeWrites(this.writes, kept);
    const result = await this.callHook({ hook, live: called, isRepublish: restore !== null }, pending);
    if (result.kind !== 'done') return result;
    const { writes, listeners = [] } = result.effects;
    const isItsOwn = ({ scope, key }: StoreWrite) => kept.some((entry) => entry.scope === scope && entry.key === key);
    this.writes = mergeWrites(
      this.writes,
      writes.filter((write) => !isItsOwn(write)),
    );
    if (hook === 'onEnable' && listeners.length > 0) this.listening = listeningOf(live, listeners);
    return result;
  }
}

/** Triggers over which another one of their flow was enabled. */
const overtaken = (left: readonly TriggerToDisable[]): TriggerToDisable[] =>
  left.map((live) => ({ ...live, kept: live.kept ?? [] }));

function listeningOf({ trigger }: LiveTrigger, listeners: readonly AppListener[]): AppListening[] {
  const pieceName = trigger.type === 'PIECE_TRIGGER' ? trigger.settings.pieceName : '';
  return listeners.flatMap(({ events, identifierValue }) =>
    events.map((event) => ({ pieceName, event, identifierValue })),
  );
}

/** A test shows a few items, and the newest items come first. */
const firstOf = (items: unknown): unknown => (Array.isArray(items) ? items.slice(0, MOST_TRIGGER_EVENTS) : items);
