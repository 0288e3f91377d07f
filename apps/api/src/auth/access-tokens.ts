import { InvalidBearerTokenError, type User } from '@millrace/domain';
import { Inject, Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { createHash, createSecretKey } from 'node:crypto';
import { API_SETTINGS, type ApiSettings } from '../settings/config';

// Access tokens use HS256 only, and are signed with the bytes of one secret. During a rotation the previous secret
// still verifies. `kid` tells which of the two secrets signed a token; no other part of the header is trusted.

export const TOKEN_ISSUER = 'millrace';
export const TOKEN_AUDIENCE = 'millrace-api';
export const TOKEN_ALGORITHM = 'HS256';
const LIFETIME_SECONDS = 15 * 60;

interface SigningKey {
  kid: string;
  secret: Buffer;
}

@Injectable()
export class AccessTokens {
  private readonly keys: readonly SigningKey[];

  constructor(
    private readonly jwt: JwtService,
    @Inject(API_SETTINGS) settings: Pick<ApiSettings, 'SVC_JWT_SECRET' | 'SVC_JWT_PREVIOUS_SECRET'>,
  ) {
    this.keys = [settings.SVC_JWT_SECRET, settings.SVC_JWT_PREVIOUS_SECRET]
      .filter((one) => one !== undefined)
      .map((one) => ({ kid: kidOf(one), secret: keyObjectOf(one) }));
  }

  issue(user: User): Promise<string> {
    const [{ kid, secret }] = this.keys as [SigningKey];
    return this.jwt.signAsync(
      {},
      {
        algorithm: TOKEN_ALGORITHM,
        secret,
        keyid: kid,
        subject: user.id,
        issuer: TOKEN_ISSUER,
        audience: TOKEN_AUDIENCE,
        expiresIn: LIFETIME_SECONDS,
      },
    );
  }

  /**
   * Returns the user of a token that came in another way than the header of a request, where AccessTokenStrategy checks
   * the same. Throws InvalidBearerTokenError.
   */
  async userOf(token: string): Promise<string> {
    const secret = this.secretOf(token);
    if (secret === null) throw new InvalidBearerTokenError();
    const expected = { issuer: TOKEN_ISSUER, audience: TOKEN_AUDIENCE };
    const claims = await this.jwt
      .verifyAsync<{ sub?: unknown; exp?: unknown }>(token, { ...expected, secret, algorithms: [TOKEN_ALGORITHM] })
      .catch((): never => {
        throw new InvalidBearerTokenError();
      });
    if (typeof claims.sub !== 'string' || typeof claims.exp !== 'number') throw new InvalidBearerTokenError();
    return claims.sub;
  }

  /** Returns the secret that must have signed the token; null when the token was clearly not made here. */
  secretOf(token: string): Buffer | null {
    const header = headerOf(token);
    const members = Object.keys(header);
    if (header['alg'] !== TOKEN_ALGORITHM || !members.every((member) => KNOWN_HEADERS.includes(member))) return null;
    return this.keys.find((key) => key.kid === header['kid'])?.secret ?? null;
  }
}

/**
 * A key object, which the packages take although their types name buffers only. Of a text or a buffer, each verification
 * first tries whether it is a public key, which takes fifty times as long as the verification itself.
 */
const keyObjectOf = (secret: string): Buffer => createSecretKey(Buffer.from(secret)) as unknown as Buffer;

const KNOWN_HEADERS = ['alg', 'typ', 'kid'];

/** Names a secret without revealing any part of it. */
const kidOf = (secret: string): string => createHash('sha256').update(`kid:${secret}`).digest('hex').slice(0, 16);

function headerOf(token: string): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString('utf8'));
    return typeof header === 'object' && header !== null ? (header as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
