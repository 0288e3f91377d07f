import type { StepRow } from './timeline-rows';
import { segmentsOf, ticksOf, timeScale } from './waterfall';

const BEGAN = Date.parse('2026-11-26T10:00:00.000Z');
const RUN = {
  created: '2026-11-26T10:00:00.000Z',
  startTime: '2026-11-26T10:00:00.100Z',
  finishTime: '2026-11-26T10:00:01.000Z',
};
const aRow = (with_: Partial<StepRow> = {}): StepRow => ({
  kind: 'step',
  path: 'add_up',
  name: 'add_up',
  type: 'CODE',
  status: 'SUCCEEDED',
  beganAt: BEGAN + 100,
  durationMs: 200,
  waitedMs: 0,
  attempts: 1,
  depth: 0,
  ...with_,
});
const SCALE = { beganAt: BEGAN, totalMs: 1_000, queuedMs: 100 };

describe('timeScale', () => {
  it('reaches from the moment at which the run was accepted to its end', () =>
    expect(timeScale(RUN, [aRow()], BEGAN + 9_000)).toEqual(SCALE));

  it('reaches to now while the run goes on', () =>
    expect(timeScale({ ...RUN, finishTime: null }, [aRow()], BEGAN + 5_000)?.totalMs).toBe(5_000));

  it('does not exist when no step says when it began', () =>
    expect(timeScale(RUN, [aRow({ beganAt: null })], BEGAN)).toBeNull());
});

describe('segmentsOf', () => {
  it('places the execution of a step within its run', () =>
    expect(segmentsOf(aRow(), SCALE, BEGAN + 9_000)).toEqual([{ kind: 'execution', left: 10, width: 20 }]));

  it('tells the wait of a step from its execution', () =>
    expect(segmentsOf(aRow({ durationMs: 100, waitedMs: 500 }), SCALE, BEGAN + 9_000)).toEqual([
      { kind: 'execution', left: 10, width: 10 },
      { kind: 'wait', left: 20, width: 50 },
    ]));

  it('lets a paused step wait until now', () =>
    expect(segmentsOf(aRow({ status: 'PAUSED', durationMs: 100 }), SCALE, BEGAN + 1_000)).toEqual([
      { kind: 'execution', left: 10, width: 10 },
      { kind: 'wait', left: 20, width: 80 },
    ]));

  it('lets a running step execute until now', () =>
    expect(segmentsOf(aRow({ status: 'RUNNING', durationMs: 0 }), SCALE, BEGAN + 600)).toEqual([
      { kind: 'execution', left: 10, width: 50 },
    ]));

  it('shows nothing of a step that was taken over from another run', () =>
    expect(segmentsOf(aRow({ beganAt: null }), SCALE, BEGAN)).toEqual([]));
});

describe('ticksOf', () => {
  it.each([
    [1_000, [0, 200, 400, 600, 800, 1_000]],
    [48, [0, 10, 20, 30, 40]],
    [7_300, [0, 2_000, 4_000, 6_000]],
  ])('writes round moments of %d ms', (totalMs, ticks) => expect(ticksOf(totalMs)).toEqual(ticks));
});
