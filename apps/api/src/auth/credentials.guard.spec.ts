import { permissionOfOperation, type Principal } from '@millrace/domain';
import { aPrincipal } from '@millrace/domain/testing';
import { Public } from '@millrace/http';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AccessTokenGuard } from './access-token.guard';
import type { RequestLimits } from '../request-limits/request-limits';
import { CredentialsGuard, type AuthenticatedRequest } from './credentials.guard';
import type { IssuerUsers } from '../issuer/issuer-users';
import type { Principals } from './principals';
import { Requires, RequiresByBody, RequiresCredentials, RequiresPlatformAdministrator } from './requires.decorator';

class Routes {
  @Public()
  open(): void {}

  @Requires('WRITE_FLOW')
  edit(): void {}

  @RequiresByBody(['WRITE_FLOW', 'UPDATE_FLOW_STATUS'], permissionOfOperation)
  operate(): void {}

  @RequiresCredentials()
  me(): void {}

  @RequiresPlatformAdministrator()
  administer(): void {}

  forgotten(): void {}
}

describe('CredentialsGuard', () => {
  const limits = { count: () => undefined } as unknown as RequestLimits;
  const member = aPrincipal({ p1: 'EDITOR', p2: 'OPERATOR' });

  /** Lets the principal call the route. Returns the principal as the route gets it. */
  async function call(
    route: keyof Routes,
    principal: Principal | null,
    body: unknown = undefined,
  ): Promise<Principal | undefined> {
    const headers = principal ? { authorization: 'Bearer sk-x' } : {};
    const request = { headers, body } as unknown as AuthenticatedRequest;
    const principals = { ofApiKey: () => Promise.resolve(principal) } as unknown as Principals;
    const guard = new CredentialsGuard(new Reflector(), principals, {} as AccessTokenGuard, {} as IssuerUsers, limits);
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

  it('asks nobody for credentials at a public route, and everybody elsewhere', async () => {
    expect(await call('open', null)).toBeUndefined();
    await expect(call('me', null)).rejects.toMatchObject({ code: 'AUTHENTICATION' });
  });
});
