import { Logger } from '@nestjs/common';
import { executeFlowJob, type ExecuteFlowJob } from '@millrace/domain';
import {
  hasTooManyDeaths,
  isQuarantine,
  Quarantine,
  quarantineAfter,
  type ExecuteInQuarantine,
  type QuarantineLevel,
} from './quarantine';

const aRun = (id: string): ExecuteFlowJob => executeFlowJob({ id, flowVersionId: 'version', projectId: 'project' });

/** Sets up a quarantine whose runs end when the test tells them to. */
function setUp(execute?: ExecuteInQuarantine) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const quarantine = new Quarantine((run, level, isLastAttempt) => {
    begun.push(run.runId);
    return execute?.(run, level, isLastAttempt) ?? new Promise((resolve) => ends.push(resolve));
  });
  return { quarantine, begun, ends };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

beforeAll(() => Logger.overrideLogger(false));

describe('Quarantine', () => {
  it.each<[QuarantineLevel, number]>([
    ['sharedQuarantine', 4],
    ['singleQuarantine', 1],
  ])('executes so many runs at once: %s, %d', async (level, most) => {
    const { quarantine, begun, ends } = setUp();

    const all = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => quarantine.execute(aRun(id), level));
    await settled();
    expect(begun).toHaveLength(most);
    ends[0]!();
    await settled();
    expect(begun).toHaveLength(most + 1);

    for (let n = 0; n < 6; n++) {
      ends.forEach((end) => end());
      await settled();
    }
    await Promise.all(all);
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('holds no run of one level back for those of the other', async () => {
    const { quarantine, begun } = setUp();

    for (let n = 0; n < 20; n++) void quarantine.execute(aRun(`single-${n}`), 'singleQuarantine');
    void quarantine.execute(aRun('shared'), 'sharedQuarantine');
    await settled();

    expect(begun).toEqual(['single-0', 'shared']);
  });

  it('knows a run that waits for its turn, and takes it once', async () => {
    const { quarantine, begun, ends } = setUp();

    void quarantine.execute(aRun('begun'), 'singleQuarantine');
    void quarantine.execute(aRun('waiting'), 'singleQuarantine');
    void quarantine.execute(aRun('waiting'), 'singleQuarantine');
    await settled();
    expect(['begun', 'waiting'].map((id) => quarantine.has(id))).toEqual([false, true]);

    ends[0]!();
    await settled();
    ends[1]!();
    await settled();
    expect(begun).toEqual(['begun', 'waiting']);
    expect(quarantine.has('waiting')).toBe(false);
  });

  it('keeps no more than a thousand runs waiting', async () => {
    const { quarantine } = setUp();

    for (let n = 0; n < 1_100; n++) void quarantine.execute(aRun(`run-${n}`), 'singleQuarantine');
    await settled();

    expect([999, 1_000, 1_001, 1_099].map((n) => quarantine.has(`run-${n}`))).toEqual([true, false, false, false]);
  });

  it('tells the last attempt, and survives that it fails as well', async () => {
    jest.useFakeTimers();
    const attempts: boolean[] = [];
    const { quarantine } = setUp((_run, _level, isLastAttempt) => {
      attempts.push(isLastAttempt);
      return Promise.reject(new Error('The database is away.'));
    });

    const executed = quarantine.execute(aRun('a'), 'singleQuarantine');
    await jest.advanceTimersByTimeAsync(10_000);
    await executed;

    expect(attempts).toEqual([false, false, true]);
    jest.useRealTimers();
  });
});

describe('where a run executes that has lost workers', () => {
  it.each([
    [0, null],
    [1, null],
    [2, 'sharedQuarantine'],
    [3, 'singleQuarantine'],
    [4, 'singleQuarantine'],
  ])('after %d: %s', (deaths, level) => {
    expect(quarantineAfter(deaths)).toBe(level);
    expect(hasTooManyDeaths(deaths)).toBe(false);
  });

  it('is nowhere after five', () => expect(hasTooManyDeaths(5)).toBe(true));

  it('is told by its name', () =>
    expect(['sharedQuarantine', 'singleQuarantine', 'ended', 'toString'].filter(isQuarantine)).toEqual([
      'sharedQuarantine',
      'singleQuarantine',
    ]));
});
