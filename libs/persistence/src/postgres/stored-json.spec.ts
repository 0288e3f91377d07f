import { randomBytes } from 'node:crypto';
import { decodeJson, encodeJson } from './stored-json';

describe('stored JSON', () => {
  it.each([
    ['a small text', '{"a":"ü"}'],
    ['an empty text', ''],
    ['a text that is compressed', JSON.stringify('x'.repeat(10_000))],
    ['a text that compresses badly', JSON.stringify(randomBytes(30_000).toString('base64'))],
    ['a large text', JSON.stringify(randomBytes(300_000).toString('hex'))],
  ])('reads %s back as it was', async (_, text) => {
    expect(await decodeJson(await encodeJson(text))).toBe(text);
  });

  it('is smaller than the text from 4 KB on, and the text itself below', async () => {
    expect((await encodeJson('x'.repeat(1_000))).length).toBe(1_001);
    expect((await encodeJson('x'.repeat(5_000))).length).toBeLessThan(500);
  });

  it('holds no U+0000 and no lone surrogate', async () => {
    expect(await decodeJson(await encodeJson('"\\u0000 \\ud800 \ud800"'))).toBe('"\ufffd \ufffd \ufffd"');
  });
});
