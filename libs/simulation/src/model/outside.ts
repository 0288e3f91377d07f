import { stepRunKey, webhookKey, type AskedWait, type NewChildRun } from '@millrace/domain';
import type { PieceCall, PieceOutcome } from '@millrace/engine';
import type { Schedule } from '../schedule/schedule';
import type { Act } from './drawn-flow';
import type { StoreModel } from './store-model';

const STRANGER_POSTS = 0.1;

const value = (output: unknown, more: Partial<PieceOutcome> = {}): PieceOutcome =>
  ({ kind: 'value', output: JSON.stringify(output ?? null), logs: [], ...more }) as PieceOutcome;

const waiting = (wait: Partial<AskedWait> & Pick<AskedWait, 'requestId' | 'kind'>): PieceOutcome => ({
  kind: 'waiting',
  wait: { until: null, request: null, child: null, ...wait },
  logs: [],
});

const failed = (message: string, retryAfterMs?: number): PieceOutcome => ({
  kind: 'failed',
  message,
  logs: [],
  ...(retryAfterMs && { retryAfterMs }),
});

/** The model of everything outside that pieces act on. It remembers the calls that it received. */
export class Outside {
  private readonly calls = new Map<string, number>();
  private readonly failures = new Map<string, number>();

  constructor(
    private readonly schedule: Schedule,
    private readonly store: StoreModel,
    private readonly violate: (what: string) => void,
  ) {}

  failuresOf(call: PieceCall): number {
    return this.failures.get(placeOf(call)) ?? 0;
  }

  async act(act: Act, call: PieceCall, runId: string): Promise<PieceOutcome> {
    const place = placeOf(call);
    this.calls.set(place, (this.calls.get(place) ?? 0) + 1);
    const outcome = call.resumed ? this.goOn(act, call, runId) : await this.begin(act, call, runId);
    if (outcome.kind === 'failed') this.failures.set(place, this.failuresOf(call) + 1);
    return outcome;
  }

  private async begin(act: Act, call: PieceCall, runId: string): Promise<PieceOutcome> {
    const { stepKey } = call.run;
    const { time } = this.schedule;
    const inMs = (ms: number): Date => new Date(time.now().getTime() + ms);
    const requestId = `${stepKey}#1`;
    switch (act.does) {
      case 'effect':
        return (this.calls.get(stepKey + '#0') ?? 0) <= act.fails
          ? failed('The other side is away.', act.asksMs)
          : value(stepKey);
      case 'timer':
        return waiting({ requestId, kind: 'timer', until: inMs(act.ms) });
      case 'human':
        return waiting({
          requestId: call.openRequestId?.('approval') ?? requestId,
          kind: 'human',
          until: act.withinMs === null ? null : inMs(act.withinMs),
          request: { kind: 'approval' },
        });
      case 'link':
        return value('sent', { effects: { opens: [{ requestId: `${stepKey}#link`, request: { kind: 'approval' } }] } });
      case 'child':
        return waiting({ requestId, kind: 'child', child: this.childOf(call, runId, act.flow, false, false) });
      case 'start':
        await this.start(call, runId, act.flow, act.failsParent);
        return value('started');
      case 'respond':
        return value('ok', { effects: { response: { status: 200, headers: {}, body: runId } } });
      case 'stop':
        return value('stop', { effects: { stop: { status: act.status } } });
    }
  }

  /** Starts a child. A stranger who guessed the step's key may first post a webhook under it. */
  private async start(call: PieceCall, runId: string, flow: string, failOnFailure: boolean): Promise<void> {
    const { store } = this;
    const { stepKey } = call.run;
    if (this.schedule.random.chance(STRANGER_POSTS))
      await store.accept([
        this.store.newRun({ flowId: flow, flowVersionId: flow, idempotencyKey: webhookKey(stepKey) }),
      ]);
    await store.accept([this.childOf(call, runId, flow, failOnFailure, true)]);
    const started = store.runOfKey(flow, stepRunKey(stepKey));
    if (started && started.parentRunId !== runId)
      this.violate(`${runId}: ${started.id}, which a stranger started, took the place of the child of ${stepKey}`);
  }

  private goOn(act: Act, call: PieceCall, runId: string): PieceOutcome {
    const { time } = this.schedule;
    const { resumed, waits = 0 } = call;
    const { stepKey } = call.run;
    if (resumed?.kind === 'timer') {
      const due = this.store.journal.runs.get(runId)?.requests.get(`${stepKey}#${waits}`)?.due;
      if (!due || due > time.now()) this.violate(`${runId}: the timer of ${stepKey} ended too early`);
    }
    if (act.does === 'timer' && waits < act.times)
      return waiting({ requestId: `${stepKey}#${waits + 1}`, kind: 'timer', until: time.now() });
    if (act.does === 'child' && act.isStrict && resumed?.kind === 'child' && resumed.status !== 'SUCCEEDED')
      return failed(`The child ended as ${resumed.status}.`);
    return value(resumed);
  }

  private childOf(
    call: PieceCall,
    runId: string,
    flow: string,
    failOnFailure: boolean,
    startsOnce: boolean,
  ): NewChildRun {
    return this.store.newRun({
      flowId: flow,
      flowVersionId: flow,
      triggerType: 'SUBFLOW',
      idempotencyKey: startsOnce ? stepRunKey(call.run.stepKey) : null,
      parent: { runId, failOnFailure, depth: (call.depth ?? 0) + 1 },
    });
  }
}

/** The key that tells an effect apart from what the same step does after each of its waits. */
const placeOf = ({ run, waits = 0 }: PieceCall): string => `${run.stepKey}#${waits}`;
