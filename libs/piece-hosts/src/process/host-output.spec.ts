import { lastLines } from './host-output';

describe('the last lines of what a host has printed', () => {
  it('are all of a short text', () => {
    expect(lastLines('one\ntwo\n')).toBe('one\ntwo');
  });

  it('begin at a line, so that no secret is there without its beginning', () => {
    const secret = 'the secret of somebody';
    const text = `${secret}\n${'x'.repeat(480)}\nthe reason\n`;

    expect(lastLines(text)).toBe(`${'x'.repeat(480)}\nthe reason`);
  });

  it('are the beginning of a text without lines', () => {
    expect(lastLines(`the beginning ${'x'.repeat(1_000)}\n`)).toBe(`the beginning ${'x'.repeat(486)}`);
    expect(lastLines(`one\nthe beginning ${'x'.repeat(1_000)}`)).toBe(`one\nthe beginning ${'x'.repeat(482)}`);
  });
});
