import { DomainError, InvalidBearerTokenError } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';

/** Lets passport check the bearer token, and puts its principal into `request.user`. */
@Injectable()
export class AccessTokenGuard extends AuthGuard('access-token') {
  override handleRequest<Principal>(error: Error | null, principal: Principal): Principal {
    if (error && !(error instanceof DomainError)) throw error;
    if (error || !principal) throw new InvalidBearerTokenError();
    return principal;
  }
}
