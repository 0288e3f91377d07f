import { DomainError, InvalidBearerTokenError } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';

/** Asks passport whether the bearer token is good; `request.user` is then its principal. */
@Injectable()
export class AccessTokenGuard extends AuthGuard('access-token') {
  override handleRequest<Principal>(error: unknown, principal: Principal): Principal {
    if (error && !(error instanceof DomainError)) throw error;
    if (error || !principal) throw new InvalidBearerTokenError();
    return principal;
  }
}
