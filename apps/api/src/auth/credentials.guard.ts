import { AuthenticationError, type Principal } from '@millrace/domain';
import { PUBLIC_ROUTE } from '@millrace/http';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { AccessTokenGuard } from './access-token.guard';
import { Principals } from './principals';

export type AuthenticatedRequest = FastifyRequest & { user?: Principal };

const BEARER = /^Bearer +([^\s,]+) *$/i;

/** Stands before every route: without credentials only what is marked public can be called. */
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

  /** Finds out who makes the request; throws as whoever refuses it does. */
  async identify(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const credential = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (!credential) throw new AuthenticationError();
    if (!credential.startsWith('sk-')) return Boolean(await this.accessTokens.canActivate(context));
    request.user = await this.principals.ofApiKey(credential);
    return true;
  }
}
