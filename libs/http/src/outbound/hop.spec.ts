import { OutboundFailure, type OutboundRequest } from '@millrace/domain';
import { firstHop, redirectedHop, type Hop } from './hop';

const aRequest = (given: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'POST',
  url: 'https://api.example.com/orders?id=1',
  ...given,
});

const failureOf = (action: () => unknown): OutboundFailure => {
  try {
    action();
  } catch (error) {
    if (error instanceof OutboundFailure) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

const secrets = { authorization: 'Bearer s', cookie: 'a=b', 'proxy-authorization': 's', 'x-api-key': 's' };
const harmless = { 'content-type': 'application/json', accept: 'text/plain', 'idempotency-key': 'run:step' };
const aHop = (given: Partial<OutboundRequest> = {}): Hop =>
  firstHop(aRequest({ body: '{}', headers: { ...secrets, ...harmless }, ...given }));

describe('firstHop', () => {
  it('names the service, and what it can decompress', () => {
    const { headers } = firstHop(aRequest());

    expect([...headers]).toEqual([
      ['accept', '*/*'],
      ['accept-encoding', 'gzip, deflate, br'],
      ['user-agent', 'Millrace'],
    ]);
  });

  it('sends the key of the step, unless the author sends one', () => {
    const own = firstHop(aRequest({ idempotencyKey: 'run:step' }));
    const authors = firstHop(aRequest({ idempotencyKey: 'run:step', headers: { 'idempotency-KEY': 'mine' } }));

    expect(own.headers.get('idempotency-key')).toBe('run:step');
    expect(authors.headers.get('idempotency-key')).toBe('mine');
  });

  it('leaves out headers that belong to the connection', () => {
    const headers = { Host: 'inside', 'Content-Length': '5', Connection: 'x', 'Transfer-Encoding': 'chunked', Te: 'x' };

    const names = [...firstHop(aRequest({ headers: { ...headers, 'X-Mine': '1' } })).headers.keys()];

    expect(names).toEqual(['accept', 'accept-encoding', 'user-agent', 'x-mine']);
  });

  it.each<[string, Partial<OutboundRequest>, string, RegExp]>([
    ['a line break in a header', { headers: { 'x-a': 'b\r\nx-c: d' } }, 'invalid', /header x-a/],
    ['a line feed in a key', { idempotencyKey: 'a\nb' }, 'invalid', /Idempotency-Key/],
    ['a header name with a colon', { headers: { 'x-a: b\r\nc': '' } }, 'invalid', /header name/],
    ['an empty header name', { headers: { '': 'a' } }, 'invalid', /header name/],
    ['a letter that has no byte', { headers: { 'x-a': 'é€' } }, 'invalid', /header x-a/],
    ['very long headers', { headers: { 'x-a': 'a'.repeat(70_000) } }, 'invalid', /longer than 65536/],
    ['a method with a space', { method: 'GET /x' }, 'invalid', /method/],
    ['a tunnel', { method: 'connect' }, 'invalid', /method "connect"/],
    ['a URL that is none', { url: 'example.com' }, 'invalid', /URL is not valid/],
    ['another scheme', { url: 'ftp://example.com/' }, 'refused', /only http and https/],
    ['a user name in the URL', { url: 'https://user@example.com/' }, 'refused', /user name/],
    ['a password in the URL', { url: 'https://:pass@example.com/' }, 'refused', /user name/],
  ])('refuses %s', (_what, given, reason, message) => {
    const failure = failureOf(() => firstHop(aRequest(given)));

    expect(failure.reason).toBe(reason);
    expect(failure.message).toMatch(message);
  });
});

describe('redirectedHop', () => {
  it.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [301, 'PUT', 'PUT'],
    [302, 'DELETE', 'DELETE'],
    [307, 'POST', 'POST'],
    [308, 'PATCH', 'PATCH'],
  ])('after %i turns %s into %s, with the body only where the method stays', (status, method, becomes) => {
    const next = redirectedHop(aHop({ method }), status, '/next');

    expect(next.method).toBe(becomes);
    expect(next.body).toBe(becomes === method ? '{}' : null);
    expect(next.headers.has('content-type')).toBe(becomes === method);
  });

  it('keeps every header at the same origin', () => {
    const next = redirectedHop(aHop(), 307, 'https://api.example.com:443/next');

    expect(Object.fromEntries(next.headers)).toMatchObject({ ...secrets, ...harmless });
  });

  it.each(['https://other.example.com/', 'http://api.example.com/', 'https://api.example.com:8443/', '//example.com/'])(
    'takes only harmless headers along to %s',
    (location) => {
      const { headers } = redirectedHop(aHop({ method: 'GET', body: undefined }), 302, location);

      expect([...headers.keys()].toSorted()).toEqual([
        'accept',
        'accept-encoding',
        'content-type',
        'idempotency-key',
        'user-agent',
      ]);
    },
  );

  it.each([
    [302, 'file:///etc/passwd', 'refused', /only http and https/],
    [302, 'https://user:pass@example.com/', 'refused', /user name/],
    [302, 'http://', 'invalid', /redirects to a URL that is not valid/],
    [307, 'http://api.example.com/', 'refused', /unencrypted/],
  ])('refuses a %i to %s', (status, location, reason, message) => {
    const failure = failureOf(() => redirectedHop(aHop(), status, location));

    expect(failure.reason).toBe(reason);
    expect(failure.message).toMatch(message);
  });
});
