import { ServiceUnavailableError } from '@millrace/domain';
import { storeFailure } from './store-failure';

const statementTimeout = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });

describe('storeFailure', () => {
  it.each([
    ['a statement that met its time limit', statementTimeout, 'tooSlow'],
    ['the same, already named', new ServiceUnavailableError('Away.', 5, { cause: statementTimeout }), 'tooSlow'],
    ['a refused connection', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 'away'],
    ['a service that is away', new ServiceUnavailableError('Away.', 5), 'away'],
    ['any other error', new Error('No such version.'), null],
  ])('tells of %s what it says about the stores', (_what, error, failure) => {
    expect(storeFailure(error)).toBe(failure);
  });
});
