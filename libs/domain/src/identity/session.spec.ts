import { judgeRefresh, REPEATED_WITHIN_MS } from './session';

describe('the use of a refresh token', () => {
  const now = new Date('2026-01-01T12:00:00.000Z');
  const at = (ms: number) => new Date(now.getTime() + ms);
  const unused = { expires: at(1), usedAt: null, usedBy: null };
  const used = { expires: at(1), usedAt: at(-REPEATED_WITHIN_MS + 1), usedBy: 'me' };

  it.each([
    ['is the first', unused, 'first'],
    ['comes too late', { ...unused, expires: now }, 'expired'],
    ['is a repetition by the same client', used, 'repeated'],
    ['is a repetition though the token would have expired since', { ...used, expires: now }, 'repeated'],
    ['is a theft when another client repeats it', { ...used, usedBy: 'another' }, 'reused'],
    ['is a theft some seconds later', { ...used, usedAt: at(-REPEATED_WITHIN_MS) }, 'reused'],
  ])('%s', (_what, record, judgement) => {
    expect(judgeRefresh(record, { client: 'me', now })).toBe(judgement);
  });
});
