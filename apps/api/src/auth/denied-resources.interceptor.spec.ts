import { EntityNotFoundError, permitted, type Principal, type ResourceProjects } from '@millrace/domain';
import { aPrincipal } from '@millrace/domain/testing';
import type { ExecutionContext } from '@nestjs/common';
import { lastValueFrom, throwError } from 'rxjs';
import { DeniedResources } from './denied-resources.interceptor';

describe('what a caller is told of a resource that its request may not use', () => {
  const resources: ResourceProjects = {
    projectOf: (_type, id) => Promise.resolve({ mine: 'p2', foreign: 'p9' }[id] ?? null),
  };
  const member = permitted(aPrincipal({ p1: 'EDITOR', p2: 'VIEWER' }), 'WRITE_FLOW');

  async function told(user: Principal | undefined, error: Error): Promise<unknown> {
    const context = { switchToHttp: () => ({ getRequest: () => ({ user }) }) } as ExecutionContext;
    const answer = new DeniedResources(resources).intercept(context, { handle: () => throwError(() => error) });
    return lastValueFrom(answer).catch((refusal: unknown) => refusal);
  }

  it('is that the role does not suffice, in a project where it has one', async () => {
    expect(await told(member, new EntityNotFoundError('flow', 'mine'))).toMatchObject({
      code: 'PERMISSION_DENIED',
      params: { permission: 'WRITE_FLOW', projectId: 'p2' },
    });
  });

  it.each([
    ['foreign', member],
    ['unknown', member],
    ['mine', permitted(aPrincipal('ADMIN'), 'WRITE_FLOW')],
    ['mine', aPrincipal({ p2: 'VIEWER' })],
    ['mine', undefined],
  ])('is nothing else of %s', async (id, user) => {
    const error = new EntityNotFoundError('flow', id);
    expect(await told(user, error)).toBe(error);
  });

  it('leaves other errors as they are', async () => {
    const error = new Error('other');
    expect(await told(member, error)).toBe(error);
  });
});
