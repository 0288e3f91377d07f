import { ApiError, isPassing } from '../api/api-error';
import { isReady, openDraft, reduce, type Draft, type DraftEvent, type Trouble } from './draft';
import type { SavedFlow } from './flow-requests';
import type { Operation } from './operation';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Where the service does not say until when another person keeps the flow. */
const IN_USE_PAUSE_MS = 5_000;

export interface DraftEdges {
  send: (operation: Operation, etag: string) => Promise<SavedFlow>;
  read: () => Promise<SavedFlow>;
  /** Keeps what was not saved, for the next visit of the page. */
  keep: (unsaved: readonly Operation[]) => void;
}

/** The draft of an open editor: it sends what waits, and tells who shows it of every change. */
export class DraftStore {
  private draft: Draft;
  private readonly listeners = new Set<() => void>();
  private pauses = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    saved: SavedFlow,
    left: readonly Operation[],
    private readonly edges: DraftEdges,
  ) {
    this.draft = openDraft(saved, left);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly current = (): Draft => this.draft;

  readonly dispatch = (event: DraftEvent): void => {
    this.draft = reduce(this.draft, event);
    this.edges.keep(this.draft.queue);
    for (const listener of this.listeners) listener();
    if (isReady(this.draft)) void this.sendFirst();
  };

  /** Sends what waits onto what the service has now. */
  readonly putOnTop = async (): Promise<void> => this.dispatch({ kind: 'resume', saved: await this.edges.read() });

  readonly giveUp = async (): Promise<void> => this.dispatch({ kind: 'give-up', saved: await this.edges.read() });

  /** Does something to the flow that is no edit of it. Everything typed must be saved before. */
  readonly replace = async (change: (etag: string) => Promise<SavedFlow>): Promise<void> =>
    this.dispatch({ kind: 'replaced', saved: await change(this.draft.saved.etag) });

  /** Sends the first once more, which was refused for a while. */
  readonly tryAgain = (): void => void this.sendFirst();

  private async sendFirst(): Promise<void> {
    clearTimeout(this.timer);
    const [operation] = this.draft.queue;
    if (!operation || this.draft.isSending) return;
    this.dispatch({ kind: 'send' });
    try {
      const saved = await this.edges.send(operation, this.draft.saved.etag);
      this.pauses = 0;
      this.dispatch({ kind: 'answered', saved });
    } catch (error) {
      this.fail(troubleOf(error, operation));
    }
  }

  private fail(trouble: Trouble): void {
    this.dispatch({ kind: 'failed', trouble });
    const pause = this.pauseAfter(trouble);
    if (pause !== null) this.timer = setTimeout(this.tryAgain, pause);
  }

  private pauseAfter(trouble: Trouble): number | null {
    if (trouble.kind === 'in-use') return pauseUntil(trouble.until);
    return trouble.kind === 'away' ? Math.min(FIRST_PAUSE_MS * 2 ** this.pauses++, LONGEST_PAUSE_MS) : null;
  }
}

/** What an error means for the operation that was sent. */
export function troubleOf(error: unknown, operation: Operation): Trouble {
  if (error instanceof ApiError) {
    if (error.code === 'FLOW_IN_USE') return inUse(error.message);
    if (error.status === 412) return { kind: 'changed', message: error.message };
    if (error.status === 401) return { kind: 'away', message: error.message };
  }
  if (isPassing(error) && error instanceof Error) return { kind: 'away', message: error.message };
  return { kind: 'refused', error, operation };
}

/** The moment from which the flow can be changed again is in the sentence of the error alone. */
function inUse(message: string): Trouble {
  const [until = null] = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(message) ?? [];
  return { kind: 'in-use', message, until };
}

const pauseUntil = (until: string | null): number =>
  until === null ? IN_USE_PAUSE_MS : Math.max(FIRST_PAUSE_MS, Date.parse(until) - Date.now() + FIRST_PAUSE_MS);
