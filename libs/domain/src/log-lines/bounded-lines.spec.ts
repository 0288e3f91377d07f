import { BoundedLines } from './bounded-lines';

describe('BoundedLines', () => {
  const write = jest.fn();
  const leftOut = jest.fn();
  let lines: BoundedLines<number>;

  beforeEach(() => {
    jest.useFakeTimers();
    jest.clearAllMocks();
    lines = new BoundedLines({ write, leftOut }, 3);
  });
  afterEach(() => jest.useRealTimers());

  const add = (count: number) => {
    for (let n = 1; n <= count; n++) lines.add(n);
  };

  it('writes every line of a quiet second', () => {
    add(3);
    jest.advanceTimersByTime(5_000);
    expect(write.mock.calls).toEqual([[1], [2], [3]]);
    expect(leftOut).not.toHaveBeenCalled();
  });

  it('writes the first lines of a flood, and tells once a second how many it left out', () => {
    add(1_000);
    jest.advanceTimersByTime(1_000);
    add(5);
    jest.advanceTimersByTime(10_000);
    expect(write).toHaveBeenCalledTimes(6);
    expect(leftOut.mock.calls).toEqual([[997], [2]]);
  });

  it('keeps no process alive', () => {
    add(10);
    expect(jest.getTimerCount()).toBe(1);
    jest.runAllTimers();
    expect(jest.getTimerCount()).toBe(0);
  });
});
