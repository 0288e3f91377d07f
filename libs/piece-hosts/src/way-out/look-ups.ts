import { setMaxListeners } from 'node:events';

/** The kinds of records that a host may ask for. Addresses are not among them: targets are judged by name. */
export type RecordKind = 'SRV' | 'TXT';

/**
 * Looks up the records of a name. Rejects with the error of the resolver. The signal aborts when nobody waits for them
 * any more, and then nothing of it goes on.
 */
export type LookUpRecords = (kind: RecordKind, name: string, signal: AbortSignal) => Promise<readonly unknown[]>;

const MOST_OF_CALL = 100;

const isRecordKind = (kind: unknown): kind is RecordKind => kind === 'SRV' || kind === 'TXT';

/** What one call may look up. Without `lookUp` it is nothing. */
export class LookUpsOfCall {
  private count = 0;
  /** Most calls look up nothing, and need none. */
  private ended: AbortController | undefined;

  constructor(private readonly lookUp: LookUpRecords | undefined) {}

  async ask(kind: unknown, name: unknown): Promise<readonly unknown[]> {
    if (!this.lookUp || !isRecordKind(kind)) throw new Error('Such records of names cannot be looked up from a piece.');
    if (++this.count > MOST_OF_CALL) throw new Error(`A piece may look up ${MOST_OF_CALL} names in a call.`);
    return this.lookUp(kind, String(name), (this.ended ??= begun()).signal);
  }

  /** Stops the look-ups that the call has left under way. */
  end(): void {
    this.ended?.abort(new Error('The call has ended.'));
  }
}

function begun(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
