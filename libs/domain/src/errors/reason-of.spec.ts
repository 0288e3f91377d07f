import { reasonOf } from './reason-of';

describe('reasonOf', () => {
  it.each([
    ['the message', new Error('no such host'), 'no such host'],
    [
      'the cause below it',
      new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }),
      'connect ECONNREFUSED',
    ],
    ['the first of several', new AggregateError([new Error('refused at ::1'), new Error('refused')]), 'refused at ::1'],
    ['the code where there is no message', Object.assign(new Error(), { code: 'ECONNRESET' }), 'ECONNRESET'],
    ['the name where there is nothing else', new RangeError(), 'RangeError'],
    ['what is no error', 'away', 'away'],
  ])('is %s', (_what, error, reason) => {
    expect(reasonOf(error)).toBe(reason);
  });
});
