import { codeStep, loop, pieceStep } from '@millrace/domain/testing';
import { EvaluatingCodeRunner } from './testing/evaluating-code-runner';
import { asRecorded, HandClock, walk } from './testing/a-walk';
import { atTime, WaitingPieceRunner } from './testing/waiting-piece-runner';

/** A clock at a moment, at which each code step takes 10 ms. */
function clockAt(ms: number) {
  const clock = new HandClock();
  clock.ms = ms;
  const runner = new EvaluatingCodeRunner();
  runner.beforeCode = () => void (clock.ms += 10);
  return { clock, runner };
}

describe('the times of a step', () => {
  it('are counted from the begin of the run, also in loops', async () => {
    const each = loop('each', '{{ trigger }}', [codeStep('tell')]);
    const { records } = await walk([codeStep('first'), each], { trigger: [1, 2], ...clockAt(5_000) });

    expect(records.map(({ path, startedAfter, duration }) => [path, startedAfter, duration])).toEqual([
      ['first', 0, 10],
      ['each[0].tell', 10, 10],
      ['each[1].tell', 20, 10],
      ['each', 10, 20],
    ]);
  });

  it('count from the begin that an earlier worker noted', async () => {
    const startTime = new Date(4_000);
    const { records } = await walk([codeStep('first')], { startTime, ...clockAt(5_000) });

    expect(records).toEqual([expect.objectContaining({ path: 'first', startedAfter: 1_000, duration: 10 })]);
  });

  it('say how long a step waited, which does not count as its duration', async () => {
    const steps = [codeStep('first'), pieceStep('wait')];
    const startTime = new Date(5_000);
    const paused = await walk(steps, { startTime, ...clockAt(5_000), pieceRunner: new WaitingPieceRunner() });

    const { records } = await walk(steps, {
      startTime,
      ...clockAt(65_000),
      recorded: asRecorded(paused.records),
      waitEndings: new Map([['r1:wait#1', atTime('1970-01-01T00:01:05.000Z')]]),
      pieceRunner: new WaitingPieceRunner(),
    });

    expect(records).toEqual([
      expect.objectContaining({ path: 'wait', status: 'SUCCEEDED', startedAfter: 10, duration: 0, waited: 59_990 }),
    ]);
  });

  it('do not say that a step waited that executed at once', async () => {
    const { records } = await walk([codeStep('first')], clockAt(0));

    expect(records[0]).not.toHaveProperty('waited');
  });
});
