import type { HumanRequest, NewWait, OpenedRequest } from '@millrace/domain';
import { ActionFailure, type ActionContext } from '../framework/piece';
import type { ChildStart, Wait } from '../framework/waiting';

/** What an action asks to wait for, without the place of its step. */
export type AskedWait = Omit<NewWait, 'stepPath'>;

/** As AskedWait, before the run of the child was made. */
type AskedFor = Omit<AskedWait, 'child'> & { child: ChildStart | null };

export interface WaitingStep {
  stepKey: string;
  runId: string;
  /** How many waits of the step have ended. */
  waits: number;
  /** The id of a request that an earlier step opened and that no step has waited for. */
  openRequestId(kind: HumanRequest['kind']): string | null;
}

/** How requests are named, and where they are answered. */
export interface RequestNames {
  /** Unguessable, and the same for the same arguments. */
  requestId(stepKey: string, number: number): string;
  /** The base URL as callers see it. */
  publicUrl: string;
}

/** What one call of an action has asked to wait for, and the requests it has opened. */
export class StepWaits {
  readonly opened: OpenedRequest[] = [];
  private readonly asked = new Map<unknown, AskedFor>();

  readonly actions: Pick<ActionContext<unknown>, 'waitFor' | 'answerUrl' | 'openRequest'> = {
    waitFor: {
      timer: (until) => this.ask({ kind: 'timer', requestId: this.ownId, until }),
      human: ({ until, ...request }) =>
        this.ask({ kind: 'human', requestId: this.idFor(request.kind), until: until ?? null, request }),
      child: (child) => this.ask({ kind: 'child', requestId: this.ownId, child }),
    },
    answerUrl: (kind) => this.urlOf(this.idFor(kind)),
    openRequest: (request) => {
      const { stepKey, waits } = this.step;
      const requestId = this.names.requestId(`${stepKey}/${waits}`, this.opened.length + 1); // no step's key has a slash
      this.opened.push({ requestId, request });
      return this.urlOf(requestId);
    },
  };

  constructor(
    private readonly step: WaitingStep,
    private readonly names: RequestNames,
  ) {}

  /** What the output asks for; null when the action did not ask to wait. Throws ActionFailure. */
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
