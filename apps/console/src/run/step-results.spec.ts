import {
  failedPath,
  firstFailed,
  iterationsOf,
  logsOf,
  placeOf,
  resultAt,
  withFailedTrigger,
  type StepResult,
} from './step-results';
import { inIteration, timelineRows } from './timeline-rows';

const aStep = (with_: Partial<StepResult> = {}): StepResult => ({
  type: 'CODE',
  status: 'SUCCEEDED',
  input: {},
  output: null,
  duration: 3,
  ...with_,
});

const aLoop = (iterations: Record<string, StepResult>[], with_: Partial<StepResult> = {}): StepResult =>
  aStep({ type: 'LOOP_ON_ITEMS', output: { item: '', index: iterations.length, iterations }, ...with_ });

const failed = aStep({ status: 'FAILED', errorMessage: 'Error: no' });

/** The second order fails at its third line. */
const nested = {
  trigger: { type: 'WEBHOOK', output: {}, duration: 0 } as StepResult,
  orders: aLoop(
    [
      { lines: aLoop([{ tell: aStep({ logs: ['told'] }) }]) },
      { lines: aLoop([{ tell: aStep() }, { tell: aStep() }, { tell: failed }], { status: 'FAILED' }) },
    ],
    { status: 'FAILED' },
  ),
};

describe('a place in the results', () => {
  it('is found through iterations of nested loops', () => {
    expect(resultAt(nested, 'orders[1].lines[2].tell')).toBe(failed);
    expect(resultAt(nested, 'trigger')).toBe(nested.trigger);
  });

  it.each(['gone', 'orders[7].lines', 'trigger[0].tell', 'constructor', ''])('is not there for "%s"', (path) =>
    expect(resultAt(nested, path)).toBeUndefined(),
  );

  it('says the name of the step and the iterations around it', () =>
    expect(placeOf('orders[1].lines[2].tell')).toEqual({ name: 'tell', iterations: [1, 2] }));
});

describe('the iterations of a loop', () => {
  it('are none while its output is in a file', () =>
    expect(iterationsOf(aStep({ type: 'LOOP_ON_ITEMS', output: null }))).toEqual([]));

  it('are not those of another step that happens to have a key of this name', () =>
    expect(iterationsOf(aStep({ output: { iterations: [{}] } }))).toEqual([]));

  it('know the first that failed', () => {
    expect(firstFailed(iterationsOf(nested.orders))).toBe(1);
    expect(firstFailed([{ tell: aStep() }])).toBeNull();
  });
});

describe('failedPath', () => {
  it('leads to the iteration in which the step failed', () =>
    expect(failedPath(nested, 'tell')).toBe('orders[1].lines[2].tell'));

  it('is null when nothing failed by this name', () => expect(failedPath(nested, 'trigger')).toBeNull());
});

describe('logsOf', () => {
  it('gives each line with the place of its step', () =>
    expect(logsOf(nested, 10)).toEqual({
      lines: [{ path: 'orders[0].lines[0].tell', name: 'tell', text: 'told' }],
      hasMore: false,
    }));

  it('says that there is more than is shown', () =>
    expect(logsOf({ a: aStep({ logs: ['1', '2'] }) }, 1)).toMatchObject({ lines: [{ text: '1' }], hasMore: true }));
});

describe('timelineRows', () => {
  const paths = (chosen: string[]) => timelineRows(nested, chosen).map(({ kind, path }) => `${kind} ${path}`);

  it('opens each loop at the first iteration that failed', () =>
    expect(paths([])).toEqual([
      'step trigger',
      'step orders',
      'iteration orders',
      'step orders[1].lines',
      'iteration orders[1].lines',
      'step orders[1].lines[2].tell',
    ]));

  it('shows the iteration of the chosen place', () =>
    expect(paths(['orders[0].lines[0].tell'])).toContain('step orders[0].lines[0].tell'));

  it('shows the last iteration when the chosen one is not there', () =>
    expect(paths(['orders[99]'])).toContain('step orders[1].lines'));
});

describe('inIteration', () => {
  it('is the same step in another iteration', () =>
    expect(inIteration('orders[1].lines[2].tell', 'orders', 0)).toBe('orders[0].lines[2].tell'));

  it('keeps a place outside the loop', () => expect(inIteration('trigger', 'orders', 0)).toBe('trigger'));
});

describe('a run that failed at its trigger', () => {
  const trigger: StepResult = { type: 'WEBHOOK', output: { body: {} }, duration: 0 };

  it('has it as failed, with the sentence of the package', () => {
    const failedStep = { name: 'trigger', displayName: 'New call', message: 'No such board.' };

    expect(withFailedTrigger({ failedStep, steps: { trigger } }).steps).toEqual({
      trigger: { ...trigger, status: 'FAILED', errorMessage: 'No such board.' },
    });
  });

  it('is told from one that failed at a step', () => {
    const run = {
      failedStep: { name: 'tell', displayName: 'Tell', message: 'Error: no' },
      steps: { trigger, tell: failed },
    };

    expect(withFailedTrigger(run)).toBe(run);
    expect(withFailedTrigger({ steps: { trigger } }).steps).toEqual({ trigger });
  });
});
