import { TracingProblems } from './tracing-problems';

describe('TracingProblems', () => {
  it('writes the first complaint at once, and then one line a minute with the number of the others', () => {
    const warn = jest.fn();
    let now = 0;
    const problems = new TracingProblems({ warn }, () => now);

    for (now = 0; now < 120_000; now += 5_000)
      problems.error(JSON.stringify({ message: 'connect ECONNREFUSED 127.0.0.1:4318', stack: 'long', code: 'X' }));

    const reason = 'connect ECONNREFUSED 127.0.0.1:4318, X';
    expect(warn.mock.calls).toEqual([
      [{ msg: 'Spans may be lost.', reason, othersSinceLastLine: 0 }, 'Tracing'],
      [{ msg: 'Spans may be lost.', reason, othersSinceLastLine: 11 }, 'Tracing'],
    ]);
  });

  it('writes a warning as it is', () => {
    const warn = jest.fn();

    new TracingProblems({ warn }).warn('Dropped 7 spans because maxQueueSize reached');

    expect(warn).toHaveBeenCalledWith(
      expect.objectContaining({ reason: 'Dropped 7 spans because maxQueueSize reached' }),
      'Tracing',
    );
  });
});
