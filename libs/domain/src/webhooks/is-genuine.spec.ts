import { createHmac } from 'node:crypto';
import { authFieldsFor, WEBHOOK_SENDERS, type SentWebhook } from '../testing/webhook-senders';
import { isGenuine, type SignedRequest } from './is-genuine';
import { webhookCheck } from './webhook-check';
import type { SenderCheck } from './sender-check';
import { leastCpuMs } from '../testing/least-cpu-time';

const NOW = new Date('2026-03-01T12:00:00.500Z');
const SECRET = `whsec_${Buffer.from('a key of 32 bytes, or about that').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('another key of about 32 bytes...').toString('base64')}`;
const THIRD = `whsec_${Buffer.from('a third key, which is not active').toString('base64')}`;
const BODY = JSON.stringify({ id: 'evt_1', text: 'grüße 😀', amount: 4200 });

type Type = keyof typeof WEBHOOK_SENDERS;
const TYPES = Object.keys(WEBHOOK_SENDERS) as Type[];
const TIMED: Type[] = ['standard_webhooks', 'stripe', 'slack'];
const SIGNED: Type[] = ['hmac', 'github', ...TIMED];
const PROOF =
  /^(authorization|x-api-key|x-signature|x-hub-signature-256|stripe-signature|x-slack-signature|webhook-signature)$/;

const checkFor = (authType: Type, ...secrets: string[]): SenderCheck => {
  const [first = SECRET] = secrets;
  const { secret: _single, ...authFields } = authFieldsFor(authType, first);
  const read = webhookCheck(
    { authType, authFields: { ...authFields, ...(SIGNED.includes(authType) && { secrets }) } },
    { secrets: new Map(), connections: new Map() },
  );
  return read?.sender ?? { authType: 'nothing' };
};
const send = (type: Type, secret = SECRET, at = NOW, body = BODY) => WEBHOOK_SENDERS[type](secret, body, at);
const requestOf = ({ headers, body }: SentWebhook): SignedRequest => ({
  rawHeaders: Object.entries(headers).flat(),
  rawBody: Buffer.from(body),
});
const proofOf = ({ headers }: SentWebhook): string => Object.keys(headers).find((name) => PROOF.test(name)) ?? '';
const withProof = (sent: SentWebhook, change: (value: string) => string): SentWebhook => ({
  ...sent,
  headers: { ...sent.headers, [proofOf(sent)]: change(sent.headers[proofOf(sent)] ?? '') },
});
const passes = (type: Type, sent: SentWebhook, check = checkFor(type, SECRET), now = NOW) =>
  isGenuine(check, requestOf(sent), now);
const secondsLater = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);

describe.each(TYPES)('a request of the kind %s', (type) => {
  it('passes when its sender has the secret', async () => expect(passes(type, await send(type))).toBe(true));

  it('is refused with another secret, or without its proof', async () => {
    const sent = await send(type);
    const { [proofOf(sent)]: _proof, ...headers } = sent.headers;

    expect(passes(type, await send(type, OTHER))).toBe(false);
    expect(passes(type, { ...sent, headers })).toBe(false);
  });

  it.each<[string, (value: string) => string]>([
    ['empty', () => ''],
    ['truncated', (value) => value.slice(0, -1)],
    ['longer', (value) => `${value}0`],
    ['not hexadecimal', (value) => value.replace(/[0-9a-zA-Z+/]{4}(=*)$/, 'zzzz$1')],
    ['only a prefix', (value) => value.replace(/[^=,]*=*$/, '')],
    ['in another case', (value) => value.replace(/[a-z](?=[^a-z]*$)/, (letter) => letter.toUpperCase())],
    ['in another scheme', (value) => `Bearer ${value}`],
  ])('is refused when its proof is %s', async (_, change) => {
    const sent = await send(type);
    const changed = withProof(sent, change);

    expect(changed).not.toEqual(sent);
    expect(passes(type, changed)).toBe(false);
  });

  it('is refused when a header of its proof is there twice, be it the same', async () => {
    const { rawHeaders, rawBody } = requestOf(await send(type));
    const at = rawHeaders.findIndex((name) => PROOF.test(name));
    const twice = [...rawHeaders, rawHeaders[at]?.toUpperCase() ?? '', rawHeaders[at + 1] ?? ''];

    expect(isGenuine(checkFor(type, SECRET), { rawHeaders: twice, rawBody }, NOW)).toBe(false);
  });

  it('passes no request at all when its settings are incomplete', async () =>
    expect(passes(type, await send(type), { authType: 'nothing' })).toBe(false));
});

describe.each(SIGNED)('a signature of the kind %s', (type) => {
  it('is refused when it names another algorithm', async () => {
    const sent = await send(type);
    const renamed = withProof(sent, (value) => value.replace(/sha256|v[01]|s5/, 'sha1'));

    expect(renamed).not.toEqual(sent);
    expect(passes(type, renamed)).toBe(false);
  });

  it('belongs to its body, byte by byte', async () => {
    const sent = await send(type);

    for (const body of [`${BODY} `, BODY.replace('4200', '4201'), '', BODY.normalize('NFD')])
      expect(passes(type, { ...sent, body })).toBe(false);
  });

  it('passes with any of several active secrets', async () => {
    const check = checkFor(type, OTHER, SECRET);

    expect(passes(type, await send(type, SECRET), check)).toBe(true);
    expect(passes(type, await send(type, OTHER), check)).toBe(true);
    expect(passes(type, await send(type, THIRD), check)).toBe(false);
  });

  it('costs no hash of the body with the secrets that come after the one that fits', async () => {
    const secrets = [OTHER, SECRET];
    const third = jest.fn(() => THIRD);
    Object.defineProperty(secrets, 2, { get: third, enumerable: true });
    const check = { ...checkFor(type, SECRET), secrets } as SenderCheck;

    expect(passes(type, await send(type, SECRET), check)).toBe(true);
    expect(third).not.toHaveBeenCalled();
    expect(passes(type, await send(type, THIRD), check)).toBe(true);
  });

  it('passes over bytes that are no text', () => {
    const body = Buffer.from([0xff, 0x00, 0xfe]).toString('latin1');

    return expect(send(type, SECRET, NOW, body).then((sent) => passes(type, sent))).resolves.toBe(true);
  });
});

describe.each(TIMED)('the time in a signature of the kind %s', (type) => {
  it.each([-301, 302, -86_400, 86_400])('is refused %d seconds from now', async (seconds) =>
    expect(passes(type, await send(type, SECRET, secondsLater(seconds)))).toBe(false),
  );

  it.each([-299, 299])('passes %d seconds from now', async (seconds) =>
    expect(passes(type, await send(type, SECRET, secondsLater(seconds)))).toBe(true),
  );

  it('cannot be replaced', async () => {
    const old = await send(type, SECRET, secondsLater(-600));
    const fresh = (value: string) => value.replace(/^(t=)?\d+/, `$1${Math.floor(NOW.getTime() / 1_000)}`);
    const headers = Object.fromEntries(
      Object.entries(old.headers).map(([name, value]) => [name, /timestamp|stripe/.test(name) ? fresh(value) : value]),
    );

    expect(passes(type, { ...old, headers })).toBe(false);
  });

  it.each(['', 'now', '0', '-1', '1e9', '0x5f', ' 1772366400', '1772366400.5', '9'.repeat(400)])(
    'is refused when it reads %j',
    async (time) => {
      const sent = await send(type);
      const headers = Object.fromEntries(
        Object.entries(sent.headers).map(([name, value]) => {
          if (name.endsWith('timestamp')) return [name, time];
          return [name, name === 'stripe-signature' ? value.replace(/t=\d+/, `t=${time}`) : value];
        }),
      );

      expect(passes(type, { ...sent, headers })).toBe(false);
    },
  );
});

describe('a list of signatures', () => {
  it('passes when any of them is good, whatever the others are', async () => {
    const [standard, stripe] = [await send('standard_webhooks'), await send('stripe')];

    expect(
      passes(
        'standard_webhooks',
        withProof(standard, (value) => `v1a,AAAA v1,AAAA ${value}`),
      ),
    ).toBe(true);
    expect(
      passes(
        'stripe',
        withProof(stripe, (value) => `${value.replace(',v1', ',v1=00,v0=1,v1')},v1=ff`),
      ),
    ).toBe(true);
  });

  it('of Stripe has one time', async () => {
    const sent = await send('stripe');

    expect(
      passes(
        'stripe',
        withProof(sent, (value) => `${value},t=1772366400`),
      ),
    ).toBe(false);
  });

  it('is read quickly, however long it is', async () => {
    const sent = await send('stripe');
    const long = withProof(sent, (value) => value.replace(/v1=.*/, 'v1=0,'.repeat(4_000)));

    expect(await leastCpuMs(() => passes('stripe', long))).toBeLessThan(1_000);
  });
});

describe('other forms that senders use', () => {
  const digest = createHmac('sha1', 's').update('body').digest('hex');
  const genuine = (value: string, algorithm: string) => {
    const authFields = { secret: 's', headerName: 'X-S', algorithm };
    const check = webhookCheck({ authType: 'hmac', authFields }, { secrets: new Map(), connections: new Map() });
    const request = { rawHeaders: ['x-s', value], rawBody: Buffer.from('body') };
    return isGenuine(check?.sender ?? { authType: 'nothing' }, request, NOW);
  };

  it('takes hexadecimal digits in either case, but not mixed', () => {
    expect(genuine(digest, 'sha1')).toBe(true);
    expect(genuine(digest.toUpperCase(), 'sha1')).toBe(true);
    expect(
      genuine(
        digest.replace(/[a-f]/, (letter) => letter.toUpperCase()),
        'sha1',
      ),
    ).toBe(false);
    expect(genuine(digest, 'sha256')).toBe(false);
  });

  it('never takes an empty key of Standard Webhooks', () => {
    const signature = createHmac('sha256', '').update(`m.1772366400.body`).digest('base64');
    const headers = { 'webhook-id': 'm', 'webhook-timestamp': '1772366400', 'webhook-signature': `v1,${signature}` };

    expect(passes('standard_webhooks', { headers, body: 'body' }, checkFor('standard_webhooks', 'whsec_'))).toBe(false);
  });

  it('takes a key of Standard Webhooks that is no base64 as it is', () => {
    const signature = createHmac('sha256', 'no base64!').update(`m.1772366400.body`).digest('base64');
    const headers = { 'webhook-id': 'm', 'webhook-timestamp': '1772366400', 'webhook-signature': `v1,${signature}` };
    const check = checkFor('standard_webhooks', 'no base64!');

    expect(passes('standard_webhooks', { headers, body: 'body' }, check)).toBe(true);
  });
});

describe('10,000 random changes of good requests', () => {
  /** A sequence that looks random and is always the same. */
  function* numbers(seed: number): Generator<number> {
    for (let state = seed; ;) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      yield state / 2 ** 32;
    }
  }

  /** Changes one bit, or removes, doubles or adds a byte, of the body or of a value that proves the sender. */
  function changed(sent: SentWebhook, signed: readonly string[], next: () => number): SignedRequest {
    const parts = ['', ...signed];
    const part = parts[Math.floor(next() * parts.length)] ?? '';
    const before = part === '' ? Buffer.from(sent.body) : Buffer.from(sent.headers[part] ?? '', 'latin1');
    const at = Math.floor(next() * before.length);
    const [head, byte, tail] = [before.subarray(0, at), before[at] ?? 0, before.subarray(at + 1)];
    const instead = [[byte ^ (1 << Math.floor(next() * 8))], [], [byte, byte], [Math.floor(next() * 256), byte]];
    const after = Buffer.concat([head, Buffer.from(instead[Math.floor(next() * 4)] ?? []), tail]);
    const headers = part === '' ? sent.headers : { ...sent.headers, [part]: after.toString('latin1') };
    return { rawHeaders: Object.entries(headers).flat(), rawBody: part === '' ? after : Buffer.from(sent.body) };
  }

  it('pass no check', async () => {
    const random = numbers(46);
    const next = () => random.next().value as number;
    const passed: SignedRequest[] = [];

    for (const type of SIGNED) {
      const sent = await send(type);
      const names = Object.keys(sent.headers).filter((name) => name !== 'content-type');
      for (let tried = 0; tried < 2_000; tried++) {
        const request = changed(sent, names, next);
        if (isGenuine(checkFor(type, SECRET), request, NOW)) passed.push(request);
      }
    }

    expect(passed.map(({ rawHeaders }) => rawHeaders)).toEqual([]);
  });
});
