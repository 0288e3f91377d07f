import { untilAnswered } from './until-answered';

describe('untilAnswered', () => {
  it('asks until there is an answer', async () => {
    const answers = [null, null, { found: 1 }];

    expect(
      await untilAnswered(async () => answers.shift() ?? null, { forMs: 60_000, firstAfterMs: 1, everyMs: 2 }),
    ).toEqual({ found: 1 });
    expect(answers).toEqual([]);
  });

  it('gives up in time', async () => {
    expect(await untilAnswered(async () => null, { forMs: 5, firstAfterMs: 1, everyMs: 1 })).toBeNull();
  });
});
