import { frameOf } from '../process/frames';
import { thrownError, unsentAnswer } from './thrown-error';

describe('what a package has thrown', () => {
  it.each([
    ['its message', new Error('No such board.'), 'No such board.'],
    [
      'why a fetch has failed',
      new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }),
      'fetch failed: connect ECONNREFUSED',
    ],
    [
      'the reason of the first address',
      new TypeError('fetch failed', { cause: new AggregateError([new Error('refused at ::1'), new Error('refused')]) }),
      'fetch failed: refused at ::1',
    ],
    [
      'the code where the cause has no message',
      new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) }),
      'fetch failed: ECONNRESET',
    ],
    [
      'the words of the package, whatever caused them',
      new Error('Sign in again.', { cause: new Error('401') }),
      'Sign in again.',
    ],
    [
      'which wall a program meets',
      restricted('ChildProcess', ''),
      'Access to this API has been restricted: a package starts no process.',
    ],
    [
      'which file is out of reach',
      restricted('FileSystemRead', '/etc/passwd'),
      'Access to this API has been restricted: a package reads no file outside its folder (/etc/passwd).',
    ],
    ['another permission by its name', restricted('WASI', ''), 'Access to this API has been restricted: WASI.'],
    ['its text', 'No such board.', 'No such board.'],
    ['its JSON', { status: 422, body: 'x' }, 'The piece threw {"status":422,"body":"x"}.'],
    ['a message that is no text as JSON', { message: { a: 1 } }, 'The piece threw {"message":{"a":1}}.'],
    ['the beginning of long JSON, and nothing behind', ['x'.repeat(20_000)], `The piece threw ["${'x'.repeat(9_982)}`],
    ['its name where it has no JSON', Symbol('odd'), 'The piece threw Symbol(odd).'],
    ['its text where it is a cycle', cycle(), 'The piece threw [object Object].'],
    ['that it was nothing', undefined, 'The piece threw nothing.'],
    ['the memory limit that a Buffer reached', noRoom(), 'The piece reached its memory limit.'],
  ])('is told with %s', (_what, error, message) => {
    expect(thrownError(error).message).toBe(message);
  });

  it('keeps its code', () => {
    expect(thrownError(restricted('ChildProcess', '')).code).toBe('ERR_ACCESS_DENIED');
  });
});

describe('an answer that was not sent', () => {
  it.each([
    ['no JSON, for a cycle', cycle(), 'The output is no JSON: Converting circular structure to JSON'],
    ['no JSON, for a BigInt', 1n, 'The output is no JSON: Do not know how to serialize a BigInt'],
    ['too large', 'x'.repeat(17 * 1024 * 1024), 'The answer is too large. A message is longer than 16 MB.'],
  ])('is told to be %s', (_what, value, message) => {
    expect(thrownError(unsentAnswer(errorOfSending(value)))).toMatchObject({ message });
  });

  it('is told to have reached the memory limit', () => {
    expect(thrownError(unsentAnswer(noRoom())).message).toBe('The piece reached its memory limit.');
  });
});

function errorOfSending(value: unknown): unknown {
  try {
    return frameOf(value);
  } catch (error) {
    return error;
  }
}

function cycle(): object {
  const all: object[] = [];
  all.push({ all });
  return { all };
}

function noRoom(): RangeError {
  return new RangeError('Array buffer allocation failed');
}

function restricted(permission: string, resource: string): Error {
  const message = 'Access to this API has been restricted';
  return Object.assign(new Error(message), { code: 'ERR_ACCESS_DENIED', permission, resource });
}
