import type { StoredTexts } from '../../connections/referring-texts';
import type { References } from '../../connections/value-references';
import type { FlowTrigger } from '../../flows/flow-version';
import type { Elsewhere } from '../../runs/execution-slot';
import type { StoreWrite } from '../../store/store-writes';
import type { AskedSchedule } from '../trigger-plan';
import type { PollMemory } from './poll-memory';
import type { FoundItem } from './polled-item';

/** What a trigger that polls is asked. */
export interface PollQuestion {
  flowId: string;
  projectId: string;
  trigger: FlowTrigger;
  /** The source and the store of the last poll. The store is not used for another source. */
  last: Pick<PollMemory, 'source' | 'store' | 'storeReferences' | 'dueAt'>;
}

export type PollAnswer =
  /** The items that are there now, oldest first, and the store as the trigger left it. */
  | {
      kind: 'found';
      source: string;
      items: readonly FoundItem[];
      store: Readonly<Record<string, unknown>>;
      /** The values of connections to which the store refers. */
      storeReferences?: References | null;
      /** What the trigger has changed in the store that the flow's actions see. */
      writes?: readonly StoreWrite[];
      /** Hides the values of connections in what is stored of the items. */
      texts?: StoredTexts;
      /** The schedule for which the trigger has asked. */
      schedule?: AskedSchedule;
      /** Deletes the files that the trigger wrote and of which none of these texts has a link. Absent without files. */
      deleteFilesUnless?: (texts: readonly string[]) => Promise<void>;
    }
  /** The trigger has set its own schedule, and does not want to be asked before. */
  | { kind: 'early'; untilMs: number }
  /** One sentence for the author of the flow. */
  | { kind: 'failed'; message: string; retryAfterMs?: number };

/** Asks other services on behalf of triggers. */
export abstract class PollSource {
  /**
   * Rejects after an abort of the signal, and with ServiceUnavailableError when a service of this installation is out
   * of reach. A trigger that fails gives an answer.
   */
  abstract ask(question: PollQuestion, signal: AbortSignal, elsewhere?: Elsewhere): Promise<PollAnswer>;
}
