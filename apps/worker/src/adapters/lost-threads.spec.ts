import { linesOfLostThreads } from './lost-threads';

it('a lost thread of the sandbox is a line with the reason, and a flood of them is a count', () => {
  jest.useFakeTimers();
  const warn = jest.fn();
  const lost = linesOfLostThreads({ warn });
  for (let n = 0; n < 100; n++) lost('limit');
  jest.advanceTimersByTime(1_000);
  lost('memory');
  jest.useRealTimers();

  const lines = warn.mock.calls.map(([line]) => line as { msg: string; why?: string; leftOut?: number });
  expect(lines.map(({ why, leftOut }) => why ?? leftOut)).toEqual([...Array<string>(5).fill('limit'), 95, 'memory']);
  expect(lines[0]?.msg).toMatch(/replaced: its step did not stop at a limit/);
});
