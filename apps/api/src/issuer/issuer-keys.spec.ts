import { OutboundFailure, OutboundHttp, type OutboundAnswer, type OutboundRequest } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import type { FlattenedJWSInput } from 'jose';
import { generateKeyPairSync } from 'node:crypto';
import { IssuerKeys, metadataUrls } from './issuer-keys';

const ISSUER = 'https://id.example/realm';
const [DISCOVERY, OTHER_DISCOVERY] = metadataUrls(ISSUER) as [string, string];
const KEYS = 'https://keys.example/jwks';
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keySet = (...kids: string[]) => ({
  keys: kids.map((kid) => ({ ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' })),
});

/** Answers with the JSON of each URL, and with 404 elsewhere. */
class Issuer extends OutboundHttp {
  readonly asked: string[] = [];
  failure: OutboundFailure | null = null;
  /** What the next answers wait for. */
  gate: Promise<void> = Promise.resolve();

  constructor(readonly documents: Record<string, unknown>) {
    super();
  }

  override async send({ url }: OutboundRequest): Promise<OutboundAnswer> {
    this.asked.push(url);
    await this.gate;
    if (this.failure) throw this.failure;
    const known = url in this.documents;
    return { status: known ? 200 : 404, headers: {}, body: Buffer.from(JSON.stringify(this.documents[url] ?? null)) };
  }

  rotateTo(...kids: string[]): void {
    this.documents[KEYS] = keySet(...kids);
  }
}

const anIssuer = (more: Record<string, unknown> = {}): Issuer =>
  new Issuer({ [DISCOVERY]: { issuer: ISSUER, jwks_uri: KEYS }, [KEYS]: keySet('one'), ...more });

beforeAll(() => Logger.overrideLogger(false));

describe('IssuerKeys', () => {
  let now: number;
  beforeEach(() => (now = 0));

  const keysOf = (issuer: Issuer) => {
    const keys = new IssuerKeys(ISSUER, issuer, () => now);
    return (kid: string): Promise<unknown> =>
      Promise.resolve(keys.find({ alg: 'ES256', kid }, {} as FlattenedJWSInput));
  };
  const unknown = { code: 'ERR_JWKS_NO_MATCHING_KEY' };
  const away = { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 10 };
  const unreachable = new OutboundFailure('unreachable', 'It refuses the connection.');

  it('reads the keys once for all tokens', async () => {
    const issuer = anIssuer();
    const find = keysOf(issuer);

    await Promise.all([find('one'), find('one'), find('one')]);
    now = 9 * MINUTE;
    await find('one');

    expect(issuer.asked).toEqual([DISCOVERY, KEYS]);
  });

  it('finds the metadata of an issuer that follows RFC 8414 alone', async () => {
    const issuer = new Issuer({ [OTHER_DISCOVERY]: { issuer: ISSUER, jwks_uri: KEYS }, [KEYS]: keySet('one') });

    await expect(keysOf(issuer)('one')).resolves.toBeDefined();
    expect(OTHER_DISCOVERY).toBe('https://id.example/.well-known/oauth-authorization-server/realm');
  });

  it('looks for a key that the issuer has just begun to use', async () => {
    const issuer = anIssuer();
    const find = keysOf(issuer);
    await find('one');
    issuer.rotateTo('one', 'two');
    now = 11 * SECOND;

    await expect(find('two')).resolves.toBeDefined();
  });

  it('asks the issuer once in ten seconds, whatever keys tokens name', async () => {
    const issuer = anIssuer();
    const find = keysOf(issuer);
    await find('one');

    for (let i = 0; i < 50; i++) await expect(find(`made-up-${i}`)).rejects.toMatchObject(unknown);
    expect(issuer.asked).toHaveLength(2);
    now = 11 * SECOND;
    await Promise.all(Array.from({ length: 50 }, (_, i) => expect(find(`more-${i}`)).rejects.toMatchObject(unknown)));
    expect(issuer.asked).toHaveLength(4);
  });

  it('says so while the issuer does not answer, and asks it again after ten seconds', async () => {
    const issuer = anIssuer();
    issuer.failure = unreachable;
    const find = keysOf(issuer);

    for (let i = 0; i < 20; i++) await expect(find('one')).rejects.toMatchObject(away);
    expect(issuer.asked).toHaveLength(1);
    issuer.failure = null;
    now = 11 * SECOND;
    await expect(find('one')).resolves.toBeDefined();
  });

  it('uses the keys it knows for an hour while the issuer does not answer', async () => {
    const issuer = anIssuer();
    const find = keysOf(issuer);
    await find('one');
    issuer.failure = unreachable;

    now = 59 * MINUTE;
    await expect(find('one')).resolves.toBeDefined();
    await expect(find('two')).rejects.toMatchObject(away);
    now = 61 * MINUTE;
    await expect(find('one')).rejects.toMatchObject(away);
  });

  it('makes no token wait whose key is known, though the issuer is slow', async () => {
    const issuer = anIssuer();
    const find = keysOf(issuer);
    await find('one');
    let goOn = (): void => undefined;
    issuer.gate = new Promise((resolve) => (goOn = resolve));
    now = 11 * MINUTE;

    const withUnknownKey = find('two');
    await expect(find('one')).resolves.toBeDefined();
    expect(issuer.asked).toHaveLength(3);

    issuer.rotateTo('two');
    goOn();
    await expect(withUnknownKey).resolves.toBeDefined();
    await expect(find('one')).rejects.toMatchObject(unknown);
  });

  it.each([
    ['another issuer', { [DISCOVERY]: { issuer: 'https://id.example/other', jwks_uri: KEYS } }],
    ['keys without TLS', { [DISCOVERY]: { issuer: ISSUER, jwks_uri: KEYS.replace('https', 'http') } }],
    ['no keys', { [DISCOVERY]: { issuer: ISSUER } }],
    ['keys that are none', { [KEYS]: { keys: 'none' } }],
    ['keys that are no object', { [KEYS]: [] }],
    ['no metadata', { [DISCOVERY]: [] }],
  ])('takes nothing from metadata that name %s', async (_what, documents) => {
    await expect(keysOf(anIssuer(documents))('one')).rejects.toMatchObject(away);
  });
});
