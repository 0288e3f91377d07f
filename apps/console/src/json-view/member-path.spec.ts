import { pathText } from './json-nodes';
import { beforeCaret, parsePath } from './member-path';

describe('parsePath', () => {
  it.each([
    ['trigger', ['trigger']],
    [' step_1.body ', ['step_1', 'body']],
    ['trigger.body.lines[0].price', ['trigger', 'body', 'lines', 0, 'price']],
    [`trigger['odd key']["other"]`, ['trigger', 'odd key', 'other']],
    ['a?.b?.[12]', ['a', 'b', 12]],
    ['$x.__proto__', ['$x', '__proto__']],
    [`a['b.c']`, ['a', 'b.c']],
    [`a["x"]["it's"]`, ['a', 'x', "it's"]],
  ])('reads %s', (text, path) => {
    expect(parsePath(text)).toEqual(path);
  });

  it.each(['', '1', 'a b', 'a.', 'a + b', 'a()', 'a[b]', 'a[01]', 'a["\\n"]', 'a.1', 'a[-1]', '{a}'])(
    'takes %j for no path',
    (text) => {
      expect(parsePath(text)).toBeNull();
    },
  );

  it('reads what is written as the path of a value', () => {
    const path = ['trigger', 'body', 'odd key', 3, '__proto__', 'constructor'];
    expect(parsePath(pathText(path))).toEqual(path);
  });
});

describe('beforeCaret', () => {
  it.each([
    ['inputs.', { path: ['inputs'], typed: '', replaced: 1 }],
    ['return inputs.li', { path: ['inputs'], typed: 'li', replaced: 3 }],
    ['{{ trigger.body?.li', { path: ['trigger', 'body'], typed: 'li', replaced: 4 }],
    ['(a) => inputs.lines[0].', { path: ['inputs', 'lines', 0], typed: '', replaced: 1 }],
    [`x + inputs['odd key'].n`, { path: ['inputs', 'odd key'], typed: 'n', replaced: 2 }],
    ['{{ tri', { path: [], typed: 'tri', replaced: 3 }],
    ['{{ ', { path: [], typed: '', replaced: 0 }],
  ])('completes after %j', (text, expected) => {
    expect(beforeCaret(text)).toEqual(expected);
  });

  it.each(['f().', 'f().na', 'list[i].', '"text".', '.', '1.', 'inputs.a.b().c'])(
    'completes nothing after %j',
    (text) => {
      expect(beforeCaret(text)).toBeNull();
    },
  );

  it('looks at the end of a long text alone', () => {
    expect(beforeCaret(`${'x'.repeat(1_000_000)} inputs.a`)).toMatchObject({ path: ['inputs'], typed: 'a' });
    expect(beforeCaret('a.'.repeat(500_000))).toBeNull();
  });
});
