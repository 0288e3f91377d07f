import { jsonDepth, storableJson } from './json-text';

describe('storableJson', () => {
  it.each([
    ['"a\\u0000b"', '"a\ufffdb"'],
    ['{"\\udc00":"\\ud83d"}', '{"\ufffd":"\ufffd"}'],
    ['"\\ud83d\\ude00"', '"\\ud83d\\ude00"'],
    ['"\\\\u0000"', '"\\\\u0000"'],
    ['"\\\\\\u0000"', '"\\\\\ufffd"'],
    ['"\\u00e9\\n"', '"\\u00e9\\n"'],
    ['"\\ud83d\\ud83d\\ude00"', '"\ufffd\\ud83d\\ude00"'],
  ])('turns %s into %s', (text, expected) => {
    expect(storableJson(text)).toBe(expected);
    expect(() => JSON.parse(storableJson(text))).not.toThrow();
  });
});

describe('jsonDepth', () => {
  it.each([
    ['1', 0],
    ['[]', 1],
    ['{"a":[{}]}', 3],
    ['"[[["', 0],
    ['{"a\\"[":"]\\\\"}', 1],
    ['[[],[[]],[]]', 3],
  ])('of %s is %d', (text, depth) => expect(jsonDepth(text)).toBe(depth));
});
