import type { User } from '@millrace/domain';
import { JwtService } from '@nestjs/jwt';
import { createHash } from 'node:crypto';

// The access token: HS256 only, signed with the bytes of one secret; for the time of a rotation the secret before it
// still verifies. `kid` tells which of the two, and is all of a header that is believed.

export const TOKEN_ISSUER = 'millrace';
export const TOKEN_AUDIENCE = 'millrace-api';
export const TOKEN_ALGORITHM = 'HS256';
const LIFETIME_SECONDS = 15 * 60;

interface SigningKey {
  kid: string;
  secret: string;
}

export class AccessTokens {
  private readonly keys: readonly SigningKey[];

  constructor(
    private readonly jwt: JwtService,
    secret: string,
    previousSecret?: string,
  ) {
    this.keys = [secret, previousSecret]
      .filter((one) => one !== undefined)
      .map((one) => ({ kid: kidOf(one), secret: one }));
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

  /** The secret that a token must have been signed with; null for one that is not ours on the face of it. */
  secretOf(token: string): string | null {
    const header = headerOf(token);
    const members = Object.keys(header);
    if (header['alg'] !== TOKEN_ALGORITHM || !members.every((member) => KNOWN_HEADERS.includes(member))) return null;
    return this.keys.find((key) => key.kid === header['kid'])?.secret ?? null;
  }
}

const KNOWN_HEADERS = ['alg', 'typ', 'kid'];

/** Tells secrets apart without giving any of them away. */
const kidOf = (secret: string): string => createHash('sha256').update(`kid:${secret}`).digest('hex').slice(0, 16);

function headerOf(token: string): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString('utf8'));
    return typeof header === 'object' && header !== null ? (header as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
