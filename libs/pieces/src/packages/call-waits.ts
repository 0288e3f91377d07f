import { isJsonObject } from '@millrace/domain';
import { ActionFailure, type ActionContext } from '../framework/piece';
import type { Wait } from '../framework/waiting';
import type { PackageServices } from './package-calls';

/** A wait that a call has prepared. Null stands for a wait until somebody calls its URL. */
type Until = Date | null;

/** The waits that a call of a package prepares. One of them begins when the action has returned. */
export class CallWaits {
  private readonly prepared = new Map<string, Until>();
  private readonly resumeUrl: string;

  constructor(private readonly context: Pick<ActionContext<unknown>, 'answerUrl' | 'waitFor'>) {
    this.resumeUrl = context.answerUrl('webhook');
  }

  /** By what the package makes the URL that resumes its run. */
  get names(): { waitId: string; publicUrl: string } {
    const { resumeUrl } = this;
    const waitId = resumeUrl.slice(resumeUrl.lastIndexOf('/') + 1);
    return { waitId, publicUrl: resumeUrl.slice(0, resumeUrl.lastIndexOf('v1/flow-runs/')) };
  }

  readonly services: PackageServices = {
    'waits.create': (wanted) => Promise.resolve(this.prepare(isJsonObject(wanted) ? wanted : {})),
  };

  /** The wait with which the action ends. Throws ActionFailure for one that it has not prepared. */
  waitFor(waitId: unknown): Wait {
    const until = this.prepared.get(String(waitId));
    if (until === undefined) throw new ActionFailure('The package waits for something that it has not prepared.');
    return until === null ? this.context.waitFor.human({ kind: 'webhook' }) : this.context.waitFor.timer(until);
  }

  private prepare({ type, resumeDateTime, id: given }: Readonly<Record<string, unknown>>): {
    id: string;
    resumeUrl: string;
  } {
    const { waitId } = this.names;
    const isTimer = type === 'DELAY';
    // A package of context 2 may prepare a wait for a moment and one for a call, and chooses between them by the id.
    const id = given === waitId || !isTimer ? waitId : `${waitId}-timer`;
    this.prepared.set(id, isTimer ? new Date(String(resumeDateTime)) : null);
    return { id, resumeUrl: this.resumeUrl };
  }
}
