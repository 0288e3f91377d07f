import { InvalidBearerTokenError, packagePrincipal, permissionOfOperation, type Principal } from '@millrace/domain';
import { aPrincipal } from '@millrace/domain/testing';
import { Public } from '@millrace/http';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AccessTokenGuard } from './access-token.guard';
import type { RequestLimits } from '../request-limits/request-limits';
import { CredentialsGuard, type AuthenticatedRequest } from './credentials.guard';
import type { IssuerUsers } from '../issuer/issuer-users';
import type { Principals } from './principals';
import {
  Requires,
  RequiresByBody,
  RequiresCredentials,
  RequiresPlatformAdministrator,
  RequiresWorkerToken,
} from './requires.decorator';
import { WorkerToken } from './worker-token';

class Routes {
  @Public()
  open(): void {}

  @Requires('WRITE_FLOW')
  edit(): void {}

  @Requires('READ_FLOW')
  read(): void {}

  @Requires('READ_CONNECTION')
  readConnections(): void {}

  @RequiresByBody(['WRITE_FLOW', 'UPDATE_FLOW_STATUS'], permissionOfOperation)
  operate(): void {}

  @RequiresCredentials()
  me(): void {}

  @RequiresPlatformAdministrator()
  administer(): void {}

  @RequiresWorkerToken()
  register(): void {}

  forgotten(): void {}
}

describe('CredentialsGuard', () => {
  const limits = { count: () => undefined } as unknown as RequestLimits;
  const workerToken = new WorkerToken({ SVC_WORKER_TOKEN: 'tK3wV8nQ5xB2mZ7rC1dF6gH9jL4pSaYe' });
  const member = aPrincipal({ p1: 'EDITOR', p2: 'OPERATOR' });

  /** Lets the principal call the route. Returns the principal as the route gets it. */
  const call = (route: keyof Routes, principal: Principal | null, body?: unknown): Promise<Principal | undefined> =>
    callWith(principal ? 'sk-x' : null, route, principal, body);

  async function callWith(
    credential: string | null,
    route: keyof Routes,
    principal: Principal | null = null,
    body: unknown = undefined,
  ): Promise<Principal | undefined> {
    const headers = credential === null ? {} : { authorization: `Bearer ${credential}` };
    const request = { headers, body } as unknown as AuthenticatedRequest;
    const of = () => Promise.resolve(principal);
    const principals = { ofApiKey: of, ofPackage: of } as unknown as Principals;
    const accessTokens = { canActivate: () => Promise.reject(new InvalidBearerTokenError()) };
    const guard = new CredentialsGuard(
      new Reflector(),
      principals,
      accessTokens as unknown as AccessTokenGuard,
      { decidesOn: () => false } as unknown as IssuerUsers,
      limits,
      workerToken,
    );
    await guard.canActivate({
      getHandler: () => Object.getOwnPropertyDescriptor(Routes.prototype, route)?.value as () => void,
      getClass: () => Routes,
      switchToHttp: () => ({ getRequest: () => request, getResponse: () => ({}) }),
    } as unknown as ExecutionContext);
    return request.user;
  }

  it('limits the caller to the projects where the role grants what the route needs', async () => {
    expect(await call('edit', member)).toMatchObject({ permission: 'WRITE_FLOW', projectIds: ['p1'] });
    expect(await call('me', member)).toBe(member);
  });

  it('lets the body decide where the route says so', async () => {
    expect(await call('operate', member, { type: 'CHANGE_STATUS' })).toMatchObject({ projectIds: ['p1', 'p2'] });
    expect(await call('operate', member, { type: 'DELETE_NOTE' })).toMatchObject({ projectIds: ['p1'] });
    expect(await call('operate', member, undefined)).toMatchObject({ projectIds: ['p1'] });
  });

  it('lets only administrators administer', async () => {
    const administrator = aPrincipal('ADMIN');
    expect(await call('administer', administrator)).toBe(administrator);
    await expect(call('administer', member)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    await expect(call('administer', aPrincipal('VIEWER'))).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('refuses a route that does not say what it needs, to everyone', async () => {
    for (const principal of [member, aPrincipal('ADMIN')])
      await expect(call('forgotten', principal)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('lets workers register by their token, and do nothing else', async () => {
    const token = 'tK3wV8nQ5xB2mZ7rC1dF6gH9jL4pSaYe';
    expect(await callWith(token, 'register')).toBeUndefined();
    for (const route of ['edit', 'me', 'administer', 'forgotten'] as const)
      await expect(callWith(token, route)).rejects.toMatchObject({ code: 'INVALID_BEARER_TOKEN' });
  });

  it('lets packages read in their project, and do nothing else', async () => {
    const asPackage = (route: keyof Routes) => callWith('pc-x', route, packagePrincipal('p1'));

    expect(await asPackage('read')).toMatchObject({ permission: 'READ_FLOW', projectIds: ['p1'] });
    for (const route of ['readConnections', 'edit', 'operate', 'me', 'administer', 'register', 'forgotten'] as const)
      await expect(asPackage(route)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('lets nobody else register as a worker', async () => {
    await expect(callWith(`${'x'.repeat(32)}`, 'register')).rejects.toMatchObject({ code: 'INVALID_BEARER_TOKEN' });
    await expect(callWith(null, 'register')).rejects.toMatchObject({ code: 'AUTHENTICATION' });
    for (const principal of [member, aPrincipal('ADMIN')])
      await expect(call('register', principal)).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
        params: { permission: 'WORKER_TOKEN' },
      });
  });

  it('asks nobody for credentials at a public route, and everybody elsewhere', async () => {
    expect(await call('open', null)).toBeUndefined();
    await expect(call('me', null)).rejects.toMatchObject({ code: 'AUTHENTICATION' });
  });
});
