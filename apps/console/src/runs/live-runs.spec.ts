import type { Run } from '../run-status/run-words';
import { arrivalsSince, heardOf, refreshed } from './live-runs';

const aRun = (id: string, with_: Partial<Run> = {}): Run => ({
  id,
  projectId: 'p1',
  flowId: 'f1',
  flowVersionId: 'v1',
  flowVersion: { displayName: 'Order intake' },
  status: 'RUNNING',
  startTime: '2026-11-24T12:00:00.000Z',
  finishTime: null,
  environment: 'PRODUCTION',
  triggeredBy: 'webhook',
  tags: [],
  stepsCount: 0,
  archivedAt: null,
  created: '2026-11-24T12:00:00.000Z',
  updated: '2026-11-24T12:00:00.000Z',
  parentRunId: null,
  failParentOnFailure: false,
  retryOfRunId: null,
  statusReason: null,
  ...with_,
});

describe('refreshed', () => {
  it('shows a run that has ended in its place', () => {
    const ended = aRun('r1', { status: 'SUCCEEDED', updated: '2026-11-24T12:00:01.000Z' });

    expect(refreshed([aRun('r2'), aRun('r1')], [ended])).toEqual([aRun('r2'), ended]);
  });

  it('keeps the name of who started the run, which live updates do not have', () => {
    const ended = aRun('r1', { status: 'SUCCEEDED', updated: '2026-11-24T12:00:01.000Z' });

    expect(refreshed([aRun('r1', { triggeredByName: 'Ada' })], [ended])).toEqual([
      { ...ended, triggeredByName: 'Ada' },
    ]);
  });

  it('neither adds a new run nor takes one away that no longer matches', () => {
    const shown = [aRun('r2'), aRun('r1')];

    expect(refreshed(shown, [aRun('r3')])).toEqual(shown);
  });

  it('does not go back to an older answer that came late', () => {
    const ended = aRun('r1', { status: 'SUCCEEDED', updated: '2026-11-24T12:00:01.000Z' });

    expect(refreshed([ended], [aRun('r1')])).toEqual([ended]);
  });

  it('takes the newest of several answers, whichever came last', () => {
    const ended = aRun('r1', { status: 'SUCCEEDED', updated: '2026-11-24T12:00:01.000Z' });

    expect(refreshed([aRun('r1')], [ended, aRun('r1')])).toEqual([ended]);
  });
});

describe('heardOf', () => {
  it('keeps the latest of each run on the screen, and nothing of others', () => {
    const paused = aRun('r1', { status: 'PAUSED' });
    const ended = aRun('r1', { status: 'SUCCEEDED' });

    expect(heardOf([aRun('r2'), aRun('r1')], [paused, aRun('r9')], [ended, aRun('r3')])).toEqual([ended]);
  });
});

describe('arrivalsSince', () => {
  it('counts the runs that are newer than the first on the screen', () =>
    expect(arrivalsSince([aRun('r2'), aRun('r1')], [aRun('r4'), aRun('r3'), aRun('r2')], true)).toEqual({
      count: 2,
      isAtLeast: false,
    }));

  it('says that there may be more when the whole answer is new', () =>
    expect(arrivalsSince([aRun('r1')], [aRun('r4'), aRun('r3')], true)).toEqual({ count: 2, isAtLeast: true }));

  it('knows the number when the screen was empty and all new runs fit in one answer', () =>
    expect(arrivalsSince([], [aRun('r1')], false)).toEqual({ count: 1, isAtLeast: false }));

  it('does not count older runs that match only now', () =>
    expect(arrivalsSince([aRun('r3'), aRun('r1')], [aRun('r3'), aRun('r2'), aRun('r1')], false)).toEqual({
      count: 0,
      isAtLeast: false,
    }));
});
