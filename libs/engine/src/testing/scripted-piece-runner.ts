import { PieceRunner, type PieceCall, type PieceOutcome } from '../ports/piece-runner';

export type Answer = Partial<Extract<PieceOutcome, { kind: 'value' }>> | Exclude<PieceOutcome, { kind: 'value' }>;

/** Answers the calls of each step in turn, and repeats the last answer. A step without answers outputs null. */
export class ScriptedPieceRunner extends PieceRunner {
  readonly calls: PieceCall[] = [];

  constructor(private readonly answers: Readonly<Record<string, readonly Answer[]>> = {}) {
    super();
  }

  async run(call: PieceCall): Promise<PieceOutcome> {
    this.calls.push(call);
    const stepName = call.run.stepKey.slice(call.run.stepKey.search(/[^:.]+$/));
    const answers = this.answers[stepName] ?? [];
    const earlier = this.calls.filter(({ run }) => run.stepKey === call.run.stepKey).length - 1;
    const answer = answers[Math.min(earlier, answers.length - 1)];
    return { kind: 'value', output: 'null', logs: [], ...answer } as PieceOutcome;
  }
}
