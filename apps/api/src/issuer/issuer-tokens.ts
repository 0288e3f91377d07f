import { Clock, InvalidBearerTokenError, isJsonObject, type IssuerIdentity } from '@millrace/domain';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';

/** Who signed in at the issuer. */
export interface IssuerPerson {
  identity: IssuerIdentity;
  /** Null unless the issuer has verified the address. */
  verifiedEmail: string | null;
}

/** What the settings say of the issuer. */
export interface TrustedIssuer {
  issuer: string;
  audience: string;
}

/** A longer token is not even decoded. */
const LONGEST_TOKEN = 8_192;
/** By how much the clocks of the issuer and of this machine may differ. */
const CLOCK_TOLERANCE_SECONDS = 10;

/** Only asymmetric signatures: whoever verifies a symmetric one could make it. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** `at+jwt` is the type of RFC 9068; many issuers say `JWT` or nothing. Tokens for other uses have types of their own. */
const TYPE = /^(?:application\/)?(?:at\+)?jwt$/i;

/** As OpenID Connect has it, for subjects in ASCII. */
export const LONGEST_SUBJECT = 255;
export const SUBJECT = /^[\x20-\x7e]+$/;
/** Letters that look alike, or that change with case to other letters, could stand for somebody else's address. */
const EMAIL = /^[\x21-\x7e]{3,254}$/;

/** Verifies access tokens of the configured issuer (docs/adr/0062). */
export class IssuerTokens {
  constructor(
    private readonly trusted: TrustedIssuer | null,
    private readonly findKey: JWTVerifyGetKey,
    private readonly clock: Clock,
  ) {}

  /** Says whether the token names the configured issuer. Nothing of the token is verified by that. */
  namesIssuer(token: string): boolean {
    return this.trusted !== null && token.length <= LONGEST_TOKEN && namedIssuer(token) === this.trusted.issuer;
  }

  /** Throws InvalidBearerTokenError, and ServiceUnavailableError when the keys of the issuer are not to be had. */
  async verify(token: string): Promise<IssuerPerson> {
    if (!this.trusted || !this.namesIssuer(token)) throw new InvalidBearerTokenError();
    const { header, claims } = await this.verified(token, this.trusted);
    if (header.typ !== undefined && !TYPE.test(header.typ))
      throw new InvalidBearerTokenError('The bearer token is of a type that is no access token.');
    if (claims['cnf'] !== undefined)
      throw new InvalidBearerTokenError('The bearer token is bound to a key of its client, which is not supported.');
    if (typeof claims.sub !== 'string' || claims.sub.length > LONGEST_SUBJECT || !SUBJECT.test(claims.sub))
      throw new InvalidBearerTokenError('The bearer token has no subject of 1 to 255 characters of ASCII.');
    return { identity: { issuer: this.trusted.issuer, subject: claims.sub }, verifiedEmail: verifiedEmailIn(claims) };
  }

  private async verified(token: string, trusted: TrustedIssuer) {
    const { errors, jwtVerify } = await import('jose');
    try {
      const { protectedHeader: header, payload: claims } = await jwtVerify(token, this.findKey, {
        ...trusted,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: this.clock.now(),
      });
      return { header, claims };
    } catch (error) {
      if (error instanceof errors.JOSEError) throw new InvalidBearerTokenError(reasonOf(error));
      throw error;
    }
  }
}

function namedIssuer(token: string): unknown {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.', 2)[1] ?? '', 'base64url').toString('utf8'));
    return isJsonObject(claims) ? claims['iss'] : undefined;
  } catch {
    return undefined;
  }
}

function verifiedEmailIn({ email, email_verified: isVerified }: JWTPayload): string | null {
  return isVerified === true && typeof email === 'string' && EMAIL.test(email) ? email : null;
}

/** jose looks at the claims after the signature, so these sentences tell a stranger nothing. */
function reasonOf({ code, claim }: { code: string; claim?: unknown }): string | undefined {
  if (code === 'ERR_JWT_EXPIRED') return 'The bearer token has expired.';
  if (code === 'ERR_JWKS_NO_MATCHING_KEY') return 'The bearer token names no key of its issuer.';
  if (code === 'ERR_JWKS_MULTIPLE_MATCHING_KEYS')
    return 'The bearer token does not say which key of its issuer signed it.';
  if (code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED') return 'The signature of the bearer token is wrong.';
  if (code !== 'ERR_JWT_CLAIM_VALIDATION_FAILED') return undefined;
  if (claim === 'aud') return 'The bearer token is for another audience.';
  return `The bearer token has a wrong or missing claim "${String(claim)}".`;
}
