import { OverrunDrafts } from './overrun-drafts';

describe('OverrunDrafts', () => {
  it('gives a draft that was read before only when its flow had too many requests in a minute', () => {
    const drafts = new OverrunDrafts<string>(2);
    drafts.note('a', 'first', 0);
    expect(drafts.find('a', 1)).toBeNull();

    drafts.note('a', 'second', 1);

    expect(drafts.find('a', 2)).toBe('second');
    expect(drafts.find('b', 2)).toBeNull();
  });

  it('gives it for a second after it was read, however many requests come', () => {
    const drafts = new OverrunDrafts<string>(1);
    drafts.note('a', 'draft', 0);
    drafts.note('a', drafts.find('a', 999) ?? '', 999);
    expect(drafts.find('a', 1_000)).toBeNull();

    drafts.note('a', 'changed', 1_001);

    expect(drafts.find('a', 2_000)).toBe('changed');
  });

  it('forgets after a minute that a flow was overrun', () => {
    const drafts = new OverrunDrafts<string>(2);
    drafts.note('a', 'draft', 0);
    drafts.note('a', 'draft', 59_900);
    expect(drafts.find('a', 59_950)).toBe('draft');
    expect(drafts.find('a', 60_000)).toBeNull();
    drafts.note('a', 'draft', 60_000);
    expect(drafts.find('a', 60_001)).toBeNull();
  });
});
