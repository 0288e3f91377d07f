import type { AskedWait, WaitEnding } from '@millrace/domain';
import { PieceRunner, type PieceCall, type PieceOutcome } from '../ports/piece-runner';

/** Each step waits as often as the test says, otherwise once. Its output is its input and how its waits ended. */
export class WaitingPieceRunner extends PieceRunner {
  readonly calls: PieceCall[] = [];

  constructor(private readonly waitsOf: Readonly<Record<string, number>> = {}) {
    super();
  }

  async run(call: PieceCall): Promise<PieceOutcome> {
    this.calls.push(call);
    const { stepKey } = call.run;
    const stepName = stepKey.slice(stepKey.search(/[^:.]+$/));
    const ended = call.waits ?? 0;
    const logs = [`call ${ended + 1}`];
    const effects = { tags: [`${stepName}-${ended}`] };
    if (ended < (this.waitsOf[stepName] ?? 1))
      return { kind: 'waiting', wait: aTimer(stepKey, ended + 1), logs, effects };
    const output = JSON.stringify({ input: JSON.parse(call.input) as unknown, ended: call.resumed });
    return { kind: 'value', output, logs, effects };
  }

  get calledPaths(): string[] {
    return this.calls.map(({ run }) => run.stepKey.slice(run.stepKey.indexOf(':') + 1));
  }
}

export const aTimer = (stepKey: string, number: number): AskedWait => ({
  requestId: `${stepKey}#${number}`,
  kind: 'timer',
  until: new Date(60_000),
  request: null,
  child: null,
});

export const atTime = (resumedAt: string): WaitEnding => ({ kind: 'timer', resumedAt });
