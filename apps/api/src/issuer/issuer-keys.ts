import { isJsonObject, OutboundHttp, ServiceUnavailableError } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import type { JWTVerifyGetKey } from 'jose';

// The public keys with which the configured issuer signs tokens.
//
// K1. The issuer is asked by one look-up at a time, and again only after a pause, whatever tokens are sent and whether
//     it answered or not.
// K2. A token whose key is known never waits for the issuer. Known keys are looked up again in the background, and are
//     used for an hour while the issuer does not answer.

const FRESH_MS = 10 * 60_000;
const KEPT_MS = 60 * 60_000;
const PAUSE_MS = 10_000;
/** How long the issuer may take for one document. A look-up reads two or three. */
const TIMEOUT_MS = 3_000;
const MOST_ANSWER_BYTES = 256 * 1024;

interface KnownKeys {
  find: JWTVerifyGetKey;
  readAt: number;
}

export class IssuerKeys {
  private readonly logger = new Logger(IssuerKeys.name);
  private known: KnownKeys | null = null;
  private lookUp: Promise<void> | null = null;
  private lookedUpAt = -Infinity;
  private lastFailed = false;

  constructor(
    private readonly issuer: string,
    private readonly http: OutboundHttp,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /**
   * Finds the key that the header of a token names. Throws ServiceUnavailableError when the issuer does not tell its
   * keys, and the errors of jose.
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const known = await this.current();
    try {
      return await known.find(header, token);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ERR_JWKS_NO_MATCHING_KEY') throw error;
      await this.look(); // perhaps the issuer has begun to use another key
      const newer = this.known;
      if (newer && newer !== known) return newer.find(header, token);
      throw this.lastFailed ? issuerIsAway() : error;
    }
  };

  private async current(): Promise<KnownKeys> {
    if (this.known && this.ageOf(this.known) < KEPT_MS) {
      if (this.ageOf(this.known) >= FRESH_MS) void this.look();
      return this.known;
    }
    await this.look();
    if (!this.known || this.ageOf(this.known) >= KEPT_MS) throw issuerIsAway();
    return this.known;
  }

  private ageOf({ readAt }: KnownKeys): number {
    return this.nowMs() - readAt;
  }

  /** Looks the keys up, unless that was done a moment ago. Never rejects. */
  private look(): Promise<void> {
    if (!this.lookUp && this.nowMs() - this.lookedUpAt < PAUSE_MS) return Promise.resolve();
    this.lookUp ??= this.replaceKeys().finally(() => {
      this.lookUp = null;
      this.lookedUpAt = this.nowMs();
    });
    return this.lookUp;
  }

  private async replaceKeys(): Promise<void> {
    try {
      const keys = await this.readKeys();
      const { createLocalJWKSet } = await import('jose');
      this.known = { find: createLocalJWKSet(keys), readAt: this.nowMs() };
      this.lastFailed = false;
    } catch (error) {
      this.lastFailed = true;
      this.logger.warn(`The keys of SVC_OAUTH_ISSUER cannot be read: ${(error as Error).message}`);
    }
  }

  private async readKeys(): Promise<JsonWebKeySet> {
    const { issuer, jwks_uri: keysUrl } = await this.readMetadata();
    if (issuer !== this.issuer) throw new Error(`its metadata says that it is ${JSON.stringify(issuer)}.`);
    if (typeof keysUrl !== 'string' || !isAsSafeAs(this.issuer, keysUrl))
      throw new Error('its metadata names no "jwks_uri" that begins with https.');
    const keys = await this.read(keysUrl);
    if (!keys) throw new Error('its "jwks_uri" leads to no JSON.');
    return keys as unknown as JsonWebKeySet; // jose checks the form
  }

  private async readMetadata(): Promise<Readonly<Record<string, unknown>>> {
    for (const url of metadataUrls(this.issuer)) {
      const metadata = await this.read(url);
      if (metadata) return metadata;
    }
    throw new Error(`there is no metadata at ${metadataUrls(this.issuer).join(' or ')}.`);
  }

  /** Returns null for an answer that is no JSON object. Throws OutboundFailure. */
  private async read(url: string): Promise<Readonly<Record<string, unknown>> | null> {
    const { status, body } = await this.http.send({
      method: 'GET',
      url,
      headers: { accept: 'application/json, application/jwk-set+json' },
      timeoutMs: TIMEOUT_MS,
      maxAnswerBytes: MOST_ANSWER_BYTES,
      followRedirects: false,
    });
    if (status !== 200) return null;
    try {
      const parsed: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
      return isJsonObject(parsed) ? parsed : null;
    } catch {
      return null;
    }
  }
}

type JsonWebKeySet = Parameters<typeof import('jose').createLocalJWKSet>[0];

const issuerIsAway = (): ServiceUnavailableError =>
  new ServiceUnavailableError('The issuer of this token does not tell its keys at the moment.', PAUSE_MS / 1_000);

/** Where OpenID Connect Discovery and RFC 8414 put the metadata of an issuer. */
export function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

/** Whoever can change what travels without TLS could put in keys of their own. */
const isAsSafeAs = (issuer: string, url: string): boolean =>
  URL.canParse(url) && ['https:', new URL(issuer).protocol].includes(new URL(url).protocol);
