import { spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { HostOutput, lastWords } from './host-output';

const printedBy = (program: string): string => spawnSync(process.execPath, ['-e', program]).stderr.toString();

describe('what a host has said last', () => {
  it.each([
    ['an error', 'setTimeout(() => { throw new Error("later") })', 'Error: later'],
    ['an error of many lines', 'console.error("a\\n^"); throw new TypeError("later\\nand more")', 'TypeError: later'],
    ['a rejection', 'void Promise.reject(Object.assign(new Error("later"), { a: { b: 1 } }))', 'Error: later'],
    ['a rejection with nothing', 'void Promise.reject()', 'UnhandledPromiseRejection: "undefined"'],
    ['a number', 'setTimeout(() => { throw 5 })', '5'],
  ])('is %s that nobody caught', (_what, program, words) => {
    expect(lastWords(printedBy(program))).toBe(words);
  });

  it('is otherwise its last line', () => {
    expect(lastWords('one\ntwo\n')).toBe('two');
    expect(lastWords('')).toBe('');
  });

  it('is cut at its end, so that no secret is there without its beginning', () => {
    expect(lastWords(`one\nthe beginning ${'x'.repeat(1_000)}\n`)).toBe(`the beginning ${'x'.repeat(486)}`);
  });
});

describe('what a host prints', () => {
  it('is too much when it comes in very many pieces, however few bytes they have', () => {
    const stdout = new PassThrough();
    const tooMuch = jest.fn();
    const output = new HostOutput({ stdout, stderr: null }, tooMuch);
    output.begin();
    const byte = Buffer.alloc(1);
    for (let pieces = 1; pieces <= 256 * 1024; pieces++) stdout.emit('data', byte);
    expect(tooMuch).not.toHaveBeenCalled();

    stdout.emit('data', byte);
    expect(tooMuch).toHaveBeenCalledTimes(1);
  });
});
