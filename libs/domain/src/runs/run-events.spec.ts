import { finishRun } from './finish-run';
import { recordingRunEvents, shownRunEvents } from '../testing/recording-run-events';
import type { RunFamilies } from './run-families';
import { RunEvents } from './run-events';
import type { RunNotices } from './run-notices';

const ANSWER = { status: 'SUCCEEDED', response: { status: 201, headers: {}, body: 'made' } } as const;

describe('RunEvents', () => {
  it.each([
    ['nobody', { parentRunId: null, isAwaited: false }, []],
    ['the parent', { parentRunId: 'above', isAwaited: false }, ['parent of run']],
    ['who waits for the response', { parentRunId: null, isAwaited: true }, ['answer of run: made']],
    ['both', { parentRunId: 'above', isAwaited: true }, ['answer of run: made', 'parent of run']],
  ])('tells %s of an ending', async (_who, run, expected) => {
    const { events, told } = recordingRunEvents();

    await events.ended({ id: 'run', projectId: 'project', ...run }, ANSWER);

    expect(told).toEqual(expected);
  });

  it('tells who waits for a response that there is none', async () => {
    const { events, told } = recordingRunEvents();

    await events.ended(
      { id: 'run', projectId: 'project', parentRunId: null, isAwaited: true },
      { status: 'SUCCEEDED', response: null },
    );

    expect(told).toEqual(['answer of run: none']);
  });

  it.each([
    ['SUCCEEDED', 'run SUCCEEDED'],
    // The process that stopped the run has shown that.
    ['STOPPED', 'run changed'],
  ] as const)('shows clients that watch that the run has ended as %s', async (status, expected) => {
    const { events, shown } = shownRunEvents();
    const run = { id: 'run', projectId: 'project', parentRunId: null, isAwaited: false };
    expect(events.awaitsEnd(run)).toBe(true);

    await events.ended(run, { status, response: null });

    expect(shown).toEqual([expected]);
  });

  it('notes an ending that is bad, and no other', () => {
    const note = jest.fn();
    const { families, notices } = {} as { families: RunFamilies; notices: RunNotices };
    const events = new RunEvents(families, notices, jest.fn(), undefined, { note });
    const run = { id: 'run', flowId: 'flow', projectId: 'project' };
    const times = { startTime: new Date(), finishTime: new Date(), timeoutSeconds: 600 };
    const left = { stepsCount: 0, tags: [] };

    events.noteEnding(run, finishRun({ kind: 'succeeded', ...left }, times));
    events.noteEnding(run, finishRun({ kind: 'timedOut', ...left }, times));

    expect(note.mock.calls).toEqual([[expect.objectContaining({ runId: 'run', status: 'TIMEOUT' })]]);
  });

  it('does not fail when nobody can be told: the run has ended all the same', async () => {
    const away = () => Promise.reject(new Error('The database is away.'));
    const families = { notifyParent: jest.fn(away) };
    const notices = { announceAnswered: jest.fn(away) };
    const warn = jest.fn();
    const events = new RunEvents(families as unknown as RunFamilies, notices as unknown as RunNotices, warn);

    await events.ended({ id: 'run', projectId: 'project', parentRunId: 'above', isAwaited: true }, ANSWER);

    expect(families.notifyParent).toHaveBeenCalledWith('run');
    expect(notices.announceAnswered).toHaveBeenCalledWith('run', ANSWER);
    expect(warn).toHaveBeenCalledTimes(2);
  });
});
