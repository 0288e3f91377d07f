import { AuthorizationError } from './authorization.error';
import { EntityNotFoundError } from './entity-not-found.error';

describe('an error about an id', () => {
  it('repeats the id that was sent', () => {
    const error = new EntityNotFoundError('user', 'u1');
    expect(error.message).toBe('There is no user with the id "u1".');
    expect(error.params).toEqual({ entityType: 'user', entityId: 'u1' });
  });

  it.each([
    ['unknown', (id: string) => new EntityNotFoundError('user', id)],
    ['of a project without a role', (id: string) => new AuthorizationError(id)],
  ])('cuts a long one that is %s', (_what, errorFor) => {
    const { message, params } = errorFor('x'.repeat(100_000));
    expect(`${message}${JSON.stringify(params)}`.length).toBeLessThan(600);
  });
});
