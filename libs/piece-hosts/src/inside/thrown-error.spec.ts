import { thrownError } from './thrown-error';

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
  ])('is told with %s', (_what, error, message) => {
    expect(thrownError(error).message).toBe(message);
  });

  it('keeps its code', () => {
    expect(thrownError(restricted('ChildProcess', '')).code).toBe('ERR_ACCESS_DENIED');
  });
});

function restricted(permission: string, resource: string): Error {
  const message = 'Access to this API has been restricted';
  return Object.assign(new Error(message), { code: 'ERR_ACCESS_DENIED', permission, resource });
}
