import { isJsonObject } from '@millrace/domain';
import { ActionFailure, type ActionContext } from '../framework/piece';
import type { Wait } from '../framework/waiting';
import type { PackageServices } from './package-calls';

/** A wait that a call has prepared. Null stands for a wait until somebody calls its URL. */
type Until = Date | null;

/**
 * The service by which a package of context 0 or 1 says that it has its URL. It does not wait for the answer, so nothing
 * of the package may leave before.
 */
export const OPENING = 'waits.open';

/** The waits that a call of a package prepares. One of them begins when the action has returned. */
export class CallWaits {
  private readonly prepared = new Map<string, Until>();
  private readonly resumeUrl: string;
  private opening: Promise<void> | null = null;

  constructor(private readonly context: Pick<ActionContext<unknown>, 'answerUrl' | 'openAnswerUrl' | 'waitFor'>) {
    this.resumeUrl = context.answerUrl('webhook');
  }

  /** By what the package makes the URL that resumes its run. */
  get names(): { waitId: string; publicUrl: string } {
    const { resumeUrl } = this;
    const waitId = resumeUrl.slice(resumeUrl.lastIndexOf('/') + 1);
    return { waitId, publicUrl: resumeUrl.slice(0, resumeUrl.lastIndexOf('v1/flow-runs/')) };
  }

  readonly services: PackageServices = {
    'waits.create': (wanted) => this.prepare(isJsonObject(wanted) ? wanted : {}),
    [OPENING]: () => this.open(),
  };

  /** Rejects when the URL that the package has given away does not work. */
  async opened(): Promise<void> {
    await this.opening;
  }

  /** The wait with which the action ends. Throws ActionFailure for one that it has not prepared. */
  waitFor(waitId: unknown): Wait {
    const id = String(waitId);
    const isOpen = this.opening !== null && id === this.names.waitId;
    if (!isOpen && !this.prepared.has(id))
      throw new ActionFailure('The package waits for something that it has not prepared.');
    const until = this.prepared.get(id) ?? null;
    return until === null ? this.context.waitFor.human({ kind: 'webhook' }) : this.context.waitFor.timer(until);
  }

  private async prepare({
    type,
    resumeDateTime,
    id: given,
  }: Readonly<Record<string, unknown>>): Promise<{ id: string; resumeUrl: string }> {
    const { waitId } = this.names;
    const isTimer = type === 'DELAY';
    // A package of context 2 may prepare a wait for a moment and one for a call, and chooses between them by the id.
    const id = given === waitId || !isTimer ? waitId : `${waitId}-timer`;
    this.prepared.set(id, isTimer ? new Date(String(resumeDateTime)) : null);
    // A package of context 0 or 1 says at last that it waits, and the wait is put on record then.
    if (!isTimer && given !== waitId) await this.open();
    return { id, resumeUrl: this.resumeUrl };
  }

  /** Puts the request behind the URL on record, so that the URL works from then on. */
  private open(): Promise<void> {
    this.opening ??= this.context.openAnswerUrl({ kind: 'webhook' }).then(() => undefined);
    return this.opening;
  }
}
