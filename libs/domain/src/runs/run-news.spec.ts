import { recordingNews } from '../testing/recording-news';
import type { RunFamilies } from './run-families';
import { RunNews } from './run-news';
import type { RunNotices } from './run-notices';

const ANSWER = { status: 'SUCCEEDED', response: { status: 201, headers: {}, body: 'made' } } as const;

describe('RunNews', () => {
  it.each([
    ['nobody', { parentRunId: null, isAwaited: false }, []],
    ['the parent', { parentRunId: 'above', isAwaited: false }, ['parent of run']],
    ['who waits for the response', { parentRunId: null, isAwaited: true }, ['answer of run: made']],
    ['both', { parentRunId: 'above', isAwaited: true }, ['answer of run: made', 'parent of run']],
  ])('tells %s of an ending', async (_who, run, expected) => {
    const { news, told } = recordingNews();

    await news.ended({ id: 'run', ...run }, ANSWER);

    expect(told).toEqual(expected);
  });

  it('tells who waits for a response that there is none', async () => {
    const { news, told } = recordingNews();

    await news.ended({ id: 'run', parentRunId: null, isAwaited: true }, { status: 'SUCCEEDED', response: null });

    expect(told).toEqual(['answer of run: none']);
  });

  it('does not fail when nobody can be told: the run has ended all the same', async () => {
    const away = () => Promise.reject(new Error('The database is away.'));
    const families = { tellParent: jest.fn(away) };
    const notices = { announceAnswered: jest.fn(away) };
    const warn = jest.fn();
    const news = new RunNews(families as unknown as RunFamilies, notices as unknown as RunNotices, warn);

    await news.ended({ id: 'run', parentRunId: 'above', isAwaited: true }, ANSWER);

    expect(families.tellParent).toHaveBeenCalledWith('run');
    expect(notices.announceAnswered).toHaveBeenCalledWith('run', ANSWER);
    expect(warn).toHaveBeenCalledTimes(2);
  });
});
