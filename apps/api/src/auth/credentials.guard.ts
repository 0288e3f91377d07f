import {
  AuthenticationError,
  CallTokens,
  isOpenTo,
  PermissionDeniedError,
  permitted,
  type Principal,
} from '@millrace/domain';
import { PUBLIC_ROUTE } from '@millrace/http';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IssuerUsers } from '../issuer/issuer-users';
import { RequestLimits } from '../request-limits/request-limits';
import { AccessTokenGuard } from './access-token.guard';
import { Principals } from './principals';
import {
  CREDENTIALS,
  PLATFORM_PERMISSION,
  REQUIREMENT,
  WORKER_PERMISSION,
  type Requirement,
} from './requires.decorator';
import { WorkerToken } from './worker-token';

export type AuthenticatedRequest = FastifyRequest & { user?: Principal };

const BEARER = /^Bearer +([^\s,]+) *$/i;

/**
 * Guards every route. A request without credentials reaches only routes that are marked public. Workers have a token,
 * which opens the routes that ask for it and nothing else; for a package they read with a token of its own, which opens
 * routes that ask for certain permissions. Every other request has a principal that is limited to the
 * projects in which it has the permission of the route.
 */
@Injectable()
export class CredentialsGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly principals: Principals,
    private readonly accessTokens: AccessTokenGuard,
    private readonly issuerUsers: IssuerUsers,
    private readonly limits: RequestLimits,
    private readonly workerToken: WorkerToken,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const told = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC_ROUTE, told)) return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const requirement = this.reflector.getAllAndOverride<Requirement | undefined>(REQUIREMENT, told);
    if (requirement?.kind === 'worker token' && this.isFromWorker(request)) return true;
    const credential = credentialOf(request);
    if (credential && CallTokens.isOne(credential)) request.user = await this.principals.ofPackage(credential);
    else await this.identify(context);
    if (!request.user) throw new AuthenticationError();
    this.limits.count(request.user, context.switchToHttp().getResponse<FastifyReply>());
    request.user = limited(request.user, requirement, request.body);
    return true;
  }

  /**
   * Puts the principal of the request into `request.user`. Throws AuthenticationError, and the errors of the kind of
   * credential.
   */
  async identify(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const credential = credentialOf(request);
    if (!credential) throw new AuthenticationError();
    if (credential.startsWith('sk-')) request.user = await this.principals.ofApiKey(credential);
    else if (this.issuerUsers.decidesOn(credential))
      request.user = await this.principals.of(await this.issuerUsers.userOf(credential));
    else return Boolean(await this.accessTokens.canActivate(context));
    return true;
  }

  private isFromWorker(request: AuthenticatedRequest): boolean {
    const credential = credentialOf(request);
    return credential !== undefined && this.workerToken.equals(credential);
  }
}

const credentialOf = ({ headers }: AuthenticatedRequest): string | undefined =>
  BEARER.exec(headers.authorization ?? '')?.[1];

/** Limits the principal to what the route needs. Throws PermissionDeniedError, also for a route that says nothing. */
function limited(principal: Principal, requirement: Requirement | undefined, body: unknown): Principal {
  switch (requirement?.kind) {
    case 'permission': {
      const permission = requirement.permissionFor(body);
      if (!isOpenTo(principal, permission)) throw new PermissionDeniedError(permission);
      return permitted(principal, permission);
    }
    case 'credentials':
      if (principal.kind === 'package') throw new PermissionDeniedError(CREDENTIALS);
      return principal;
    case 'worker token':
      throw new PermissionDeniedError(WORKER_PERMISSION);
    default:
      if (requirement && principal.platformAdmin) return principal;
      throw new PermissionDeniedError(PLATFORM_PERMISSION);
  }
}
