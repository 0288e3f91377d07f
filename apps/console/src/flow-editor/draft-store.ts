import { ApiError, isPassing } from '../api/api-error';
import { definitionOf, fingerprintOf } from './definition';
import { expectedOf, isReady, openDraft, reduce, type Draft, type DraftEvent, type Failure } from './draft';
import type { SavedFlow } from './flow-requests';
import type { KeptDraft } from './kept-draft';
import type { Operation } from './operation';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Where the service does not say until when another person keeps the flow. */
const IN_USE_PAUSE_MS = 5_000;
/** Another tab often saves several operations one after the other. */
const LOOK_AGAIN_AFTER_MS = 300;

export interface DraftEdges {
  send: (operation: Operation, etag: string) => Promise<SavedFlow>;
  read: () => Promise<SavedFlow>;
  /** Keeps what must be there after a reload. */
  keep: (draft: Draft) => void;
  /** Tells the other tabs that the flow was changed. */
  announce: () => void;
  /** Whether the person who is signed in is the one whose draft this is. */
  isMine: () => boolean;
  /** Whether somebody types what is no edit yet. */
  isTyping: () => boolean;
}

/** The draft of an editor: it sends what waits, and tells who shows it of every change. */
export class DraftStore {
  private draft: Draft;
  private readonly listeners = new Set<() => void>();
  private pauses = 0;
  private tryAgainTimer: Timer;
  private lookAgainTimer: Timer;
  private isStarted = false;
  private isToBeKept = false;

  constructor(
    saved: SavedFlow,
    kept: KeptDraft | null,
    private readonly edges: DraftEdges,
  ) {
    this.draft = openDraft(saved, kept);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly current = (): Draft => this.draft;

  /** Begins to send what waits. It goes on when nobody listens any more, until all is saved. */
  readonly start = (): void => {
    this.isStarted = true;
    if (this.draft.trouble?.kind === 'away') this.tryAgain();
    else if (isReady(this.draft)) this.send();
  };

  readonly dispatch = (event: DraftEvent): void => {
    const before = this.draft;
    this.draft = reduce(before, event);
    if (this.draft === before) return;
    this.keepSoon();
    for (const listener of this.listeners) listener();
    if (isReady(this.draft)) this.send();
  };

  /** Sends what waits onto what the service has now. */
  readonly putOnTop = async (): Promise<void> => this.dispatch({ kind: 'put-on-top', saved: await this.edges.read() });

  readonly giveUp = async (): Promise<void> => this.dispatch({ kind: 'give-up', saved: await this.edges.read() });

  /** Does something to the flow that is no edit of it. Everything typed must be saved before. */
  readonly replace = async (change: (etag: string) => Promise<SavedFlow>): Promise<void> => {
    this.dispatch({ kind: 'replaced', saved: await change(this.draft.saved.etag) });
    this.edges.announce();
  };

  /** Sends the first once more, which was refused for a while. */
  readonly tryAgain = (): void => this.send();

  /** Goes on after the page was not looked at, asleep or offline. What waits is sent at once: timers may have slept too. */
  readonly wakeUp = (): void => {
    const { trouble } = this.draft;
    if (trouble?.kind === 'away' || trouble?.kind === 'in-use') this.tryAgain();
    else this.lookAgain();
  };

  /** Shows what was made of the flow elsewhere, unless something is typed or waits here: then its answer tells. */
  readonly lookAgain = (): void => {
    clearTimeout(this.lookAgainTimer);
    this.lookAgainTimer = setTimeout(() => void this.follow(), LOOK_AGAIN_AFTER_MS);
  };

  private async follow(): Promise<void> {
    if (!this.isIdle()) return;
    // Without an answer the flow stays as it is here. The next operation will be told that it was changed.
    const saved = await this.edges.read().catch(() => null);
    if (saved && this.isIdle() && saved.etag !== this.draft.saved.etag) this.dispatch({ kind: 'followed', saved });
  }

  private readonly isIdle = (): boolean =>
    this.draft.queue.length === 0 && this.draft.trouble === null && !this.edges.isTyping();

  /** Several events of one turn are kept once. */
  private keepSoon(): void {
    if (this.isToBeKept) return;
    this.isToBeKept = true;
    queueMicrotask(() => {
      this.isToBeKept = false;
      this.edges.keep(this.draft);
    });
  }

  private send(): void {
    clearTimeout(this.tryAgainTimer);
    const [first] = this.draft.queue;
    if (!first || this.draft.isSending || !this.isStarted) return;
    // Somebody else may have signed in since. What waits is kept for the person whose it is.
    if (this.edges.isMine()) void this.sendOne(first.operation);
    else this.isStarted = false;
  }

  private async sendOne(operation: Operation): Promise<void> {
    this.dispatch({ kind: 'send' });
    try {
      this.answered(await this.edges.send(operation, this.draft.saved.etag));
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) await this.compare();
      else this.fail(failureOf(error));
    }
  }

  private answered(saved: SavedFlow): void {
    this.pauses = 0;
    this.dispatch({ kind: 'answered', saved });
    this.edges.announce();
  }

  /** The flow is not what it was: by others, or by the operation itself, whose answer never came. */
  private async compare(): Promise<void> {
    try {
      const theirs = await this.edges.read();
      if (expectedOf(this.draft) === fingerprintOf(definitionOf(theirs))) this.answered(theirs);
      else this.fail({ kind: 'changed', theirs, base: definitionOf(this.draft.saved) });
    } catch (error) {
      this.fail(failureOf(error));
    }
  }

  private fail(failure: Failure): void {
    this.dispatch({ kind: 'failed', failure });
    const pause = this.pauseAfter(failure);
    if (pause !== null) this.tryAgainTimer = setTimeout(this.tryAgain, pause);
  }

  private pauseAfter(failure: Failure): number | null {
    if (failure.kind === 'in-use') return pauseUntil(failure.until);
    return failure.kind === 'away' ? Math.min(FIRST_PAUSE_MS * 2 ** this.pauses++, LONGEST_PAUSE_MS) : null;
  }
}

type Timer = ReturnType<typeof setTimeout> | undefined;

/** The answers after which nothing of the flow can be saved any more: it is gone, or is not this person's to change. */
const LAST_ANSWERS = [403, 404];

/** The answers that say nothing of the operation: the session has ended, or the request was too slow on its way. */
const PASSING_ANSWERS = [401, 408];

/** What an error means for the operation that was sent. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) {
    if (error.code === 'FLOW_IN_USE') return inUse(error);
    if (PASSING_ANSWERS.includes(error.status)) return { kind: 'away', message: error.message };
    if (LAST_ANSWERS.includes(error.status)) return { kind: 'stopped', error };
  }
  if (isPassing(error) && error instanceof Error) return { kind: 'away', message: error.message };
  return { kind: 'refused', error };
}

function inUse({ message, params: { updatedByName, until } }: ApiError): Failure {
  return {
    kind: 'in-use',
    message,
    by: textOrNull(updatedByName),
    until: textOrNull(until),
  };
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const pauseUntil = (until: string | null): number =>
  until === null ? IN_USE_PAUSE_MS : Math.max(FIRST_PAUSE_MS, Date.parse(until) - Date.now() + FIRST_PAUSE_MS);
