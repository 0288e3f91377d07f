import { jsonDepth } from './json-text';
import { jsonProblem } from './json-check';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Random numbers that are the same in every test run. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

describe('jsonProblem', () => {
  it.each([
    '{}', ' [ ] ', '0', '-0.5e+10', '"a\\u00e9\\n\\""', 'true', 'null', '[1,{"a":[{}]},"x"]', '{"a":1,"a":2}', '"é日"',
  ])('takes %s', (text) => expect(jsonProblem(Buffer.from(text), 128)).toBeNull()); // oxfmt-ignore

  it.each([
    ['', 0],
    ['{', 1],
    ['[1,]', 3],
    ['{"a":1,}', 7],
    ['{"a" 1}', 5],
    ['[1}', 2],
    ['01', 0],
    ['1.', 0],
    ['-', 0],
    ['1e', 0],
    ['"a', 0],
    ['"\\x"', 0],
    ['"\\u12g4"', 0],
    ['"\u0001"', 0],
    ['nul', 0],
    ['NaN', 0],
    ['{} {}', 3],
    ['\ufeff{}', 0],
  ])('refuses %j at byte %d', (text, at) => {
    expect(jsonProblem(Buffer.from(text), 128)).toEqual({ kind: 'malformed', at });
  });

  it('counts how deep containers nest', () => {
    expect(jsonProblem(Buffer.from('['.repeat(3) + ']'.repeat(3)), 3)).toBeNull();
    expect(jsonProblem(Buffer.from('[{"a":['.repeat(2)), 3)).toEqual({ kind: 'tooDeep' });
  });

  it('counts values, with those that have others in them', () => {
    expect(jsonProblem(Buffer.from('{"a":[1,"b"],"c":{}}'), 3, 5)).toBeNull();
    expect(jsonProblem(Buffer.from('{"a":[1,"b"],"c":{}}'), 3, 4)).toEqual({ kind: 'tooMany' });
  });

  it('says the same as JSON.parse of texts that were changed at random', () => {
    const parts = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '1',
      '0',
      '-',
      '.',
      'e',
      'true',
      'null',
      ' ',
      'a',
      '\\u00',
      '\n',
    ];
    const random = numbers(42);
    const next = (below: number): number => Math.floor((random.next().value as number) * below);
    const disagreements = [];
    for (let n = 0; n < 20_000; n++) {
      let text = '{"a":[1,-2.5e3,"x\\n\\u00e9",{"b":null}],"c":true}';
      for (let changes = next(3) + 1; changes > 0; changes--) {
        const at = next(text.length);
        text = text.slice(0, at) + (parts[next(parts.length)] ?? '') + text.slice(at + next(3));
      }
      if ((jsonProblem(Buffer.from(text), 128) === null) !== isJson(text)) disagreements.push(text);
      expect(jsonDepth(text)).toBeLessThan(128);
    }
    expect(disagreements).toEqual([]);
  });
});
