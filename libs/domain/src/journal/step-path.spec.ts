import {
  indexInside,
  isInside,
  iterationAround,
  iterationPrefix,
  loopOf,
  OUTSIDE_LOOPS,
  parsePath,
  pathFrom,
  pathIn,
  stepNameOf,
} from './step-path';

describe('the path of a step', () => {
  const lines = pathIn(iterationPrefix('orders', 2), 'lines');
  const send = pathIn(iterationPrefix(lines, 0), 'send');

  it('names the loops around the step and their iterations, the outermost first', () => {
    expect(pathIn(OUTSIDE_LOOPS, 'send')).toBe('send');
    expect(send).toBe('orders[2].lines[0].send');
  });

  it('is taken apart into what it was made of', () => {
    expect(parsePath(send)).toEqual({
      loops: [
        { name: 'orders', index: 2 },
        { name: 'lines', index: 0 },
      ],
      name: 'send',
    });
    expect(parsePath('send')).toEqual({ loops: [], name: 'send' });
    expect(stepNameOf(send)).toBe('send');
    expect(stepNameOf('send')).toBe('send');
  });

  it('tells the innermost iteration around the step', () => {
    expect(iterationAround(send)).toBe('orders[2].lines[0].');
    expect(iterationAround('send')).toBe(OUTSIDE_LOOPS);
    expect(loopOf(iterationAround(send))).toEqual({ loop: 'orders[2].lines', index: 0 });
    expect(pathFrom(iterationPrefix('orders', 2), send)).toBe('lines[0].send');
  });

  it('is inside every loop around the step, and inside no loop whose name only begins alike', () => {
    expect(isInside(send, lines)).toBe(true);
    expect(isInside(send, 'orders')).toBe(true);
    expect(isInside('orders2[0].send', 'orders')).toBe(false);
    expect(isInside('orders', 'orders')).toBe(false);
    expect(indexInside(send, 'orders')).toBe(2);
    expect(indexInside('other[12].send', 'other')).toBe(12);
    expect(indexInside(send, 'other')).toBeUndefined();
  });
});
