import { InvalidBearerTokenError, type Principal } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { ExtractJwt, Strategy, type StrategyOptionsWithoutRequest } from 'passport-jwt';
import { AccessTokens, TOKEN_ALGORITHM, TOKEN_AUDIENCE, TOKEN_ISSUER } from './access-tokens';
import { Principals } from './principals';

@Injectable()
export class AccessTokenStrategy extends PassportStrategy(Strategy, 'access-token') {
  constructor(
    tokens: AccessTokens,
    private readonly principals: Principals,
  ) {
    const options: StrategyOptionsWithoutRequest = {
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      algorithms: [TOKEN_ALGORITHM],
      issuer: TOKEN_ISSUER,
      audience: TOKEN_AUDIENCE,
      secretOrKeyProvider: (_request, token: string, done) => {
        const secret = tokens.secretOf(token);
        done(secret === null ? new InvalidBearerTokenError() : null, secret ?? undefined);
      },
    };
    super(options);
  }

  /** Passport calls this with the claims of a token whose signature, issuer, audience and times are valid. */
  async validate(claims: { sub?: unknown; exp?: unknown }): Promise<Principal> {
    const principal = typeof claims.exp === 'number' ? await this.principals.ofUser(claims.sub) : null;
    if (!principal) throw new InvalidBearerTokenError();
    return principal;
  }
}
