import { AuthenticationError, type Principal } from '@millrace/domain';
import { PUBLIC_ROUTE } from '@millrace/http';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { AccessTokenGuard } from './access-token.guard';
import { Principals } from './principals';

export type AuthenticatedRequest = FastifyRequest & { user?: Principal };

const BEARER = /^Bearer +([^\s,]+) *$/i;

/** Guards every route. A request without credentials reaches only routes that are marked public. */
@Injectable()
export class CredentialsGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly principals: Principals,
    private readonly accessTokens: AccessTokenGuard,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC_ROUTE, [context.getHandler(), context.getClass()]))
      return true;
    return this.identify(context);
  }

  /**
   * Puts the principal of the request into `request.user`. Throws AuthenticationError, and the errors of both kinds of
   * credential.
   */
  async identify(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const credential = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (!credential) throw new AuthenticationError();
    if (!credential.startsWith('sk-')) return Boolean(await this.accessTokens.canActivate(context));
    request.user = await this.principals.ofApiKey(credential);
    return true;
  }
}
