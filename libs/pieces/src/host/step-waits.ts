import type { AskedWait, HumanRequest, OpenedRequest, RunWaits } from '@millrace/domain';
import { ActionFailure, type ActionContext } from '../framework/piece';
import type { ChildStart, Wait } from '../framework/waiting';

/** An AskedWait whose child run has not been prepared yet. */
type AskedFor = Omit<AskedWait, 'child'> & { child: ChildStart | null };

export interface WaitingStep {
  stepKey: string;
  runId: string;
  /** How many waits of the step have ended. */
  waits: number;
  /**
   * The id of the last request of this kind that an earlier step opened and no step has waited for. Null when absent.
   */
  openRequestId(kind: HumanRequest['kind']): string | null;
}

/** The ids of requests, the URL under which they are answered, and who opens them. */
export interface RequestNames {
  /** Makes the id of a request. The id cannot be guessed, and equal arguments give the same id. */
  requestId(stepKey: string, number: number): string;
  /** The base URL of the service as callers see it. */
  publicUrl: string;
  waits: Pick<RunWaits, 'open'>;
}

/** The waits that one call of an action has asked for, and the requests that it has opened. */
export class StepWaits {
  readonly opened: OpenedRequest[] = [];
  private readonly asked = new Map<unknown, AskedFor>();

  readonly actions: Pick<ActionContext<unknown>, 'waitFor' | 'answerUrl' | 'openAnswerUrl' | 'openRequest'> = {
    waitFor: {
      timer: (until) => this.ask({ kind: 'timer', requestId: this.ownId, until }),
      human: ({ until, ...request }) =>
        this.ask({ kind: 'human', requestId: this.idFor(request.kind), until: until ?? null, request }),
      child: (child) => this.ask({ kind: 'child', requestId: this.ownId, child }),
    },
    answerUrl: (kind) => this.urlOf(this.idFor(kind)),
    openAnswerUrl: async (request) => {
      const opened = { requestId: this.idFor(request.kind), request };
      if (!this.opened.some(({ requestId }) => requestId === opened.requestId)) this.opened.push(opened);
      await this.names.waits.open(this.step.runId, opened);
      return this.urlOf(opened.requestId);
    },
    openRequest: (request) => {
      const { stepKey, waits } = this.step;
      const requestId = this.names.requestId(`${stepKey}/${waits}`, this.opened.length + 1); // a step's key has no slash
      this.opened.push({ requestId, request });
      return this.urlOf(requestId);
    },
  };

  constructor(
    private readonly step: WaitingStep,
    private readonly names: RequestNames,
  ) {}

  /**
   * The wait that the output of the action is. Null when the action did not ask for one. Throws ActionFailure when it
   * asked for several, or did not return the one it asked for.
   */
  askedBy(output: unknown): AskedFor | null {
    if (this.asked.size > 1) throw new ActionFailure('The action asked for several waits, and may have one at a time.');
    const asked = this.asked.get(output);
    if (this.asked.size > 0 && !asked)
      throw new ActionFailure('The action asked to wait, and then did not return the wait.');
    return asked ?? null;
  }

  private ask(asked: Pick<AskedFor, 'kind' | 'requestId'> & Partial<AskedFor>): Wait {
    if (asked.until && Number.isNaN(asked.until.getTime()))
      throw new ActionFailure('The moment until which the action would wait is not a date.');
    const wait = Object.freeze({}) as Wait;
    this.asked.set(wait, { until: null, request: null, child: null, ...asked });
    return wait;
  }

  private get ownId(): string {
    return this.names.requestId(this.step.stepKey, this.step.waits + 1);
  }

  private idFor(kind: HumanRequest['kind']): string {
    const own = this.opened.findLast(({ request }) => request.kind === kind)?.requestId;
    return own ?? this.step.openRequestId(kind) ?? this.ownId;
  }

  private urlOf(requestId: string): string {
    return `${this.names.publicUrl}/api/v1/flow-runs/${this.step.runId}/requests/${requestId}`;
  }
}
