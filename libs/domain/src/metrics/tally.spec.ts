import { Tally } from './tally';

describe('Tally', () => {
  it('counts by label, and reports the labels that are known from the start with 0', () => {
    const tally = new Tally<'found' | 'failed' | 'refused'>(['found', 'failed']);

    tally.add('failed');
    tally.add('refused', 3);
    tally.add('failed');

    expect(tally.entries()).toEqual([
      ['found', 0],
      ['failed', 2],
      ['refused', 3],
    ]);
    expect(tally.of('failed')).toBe(2);
  });
});
