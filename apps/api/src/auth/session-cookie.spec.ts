import { ForeignOriginError } from '@millrace/domain';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionCookieOf, setSessionCookie } from './session-cookie';

const requestWith = (headers: Record<string, string>, protocol = 'http') =>
  ({ headers, protocol, host: 'flows.test:3000' }) as unknown as FastifyRequest;

function cookieFor(request: FastifyRequest, token: string | null, publicOrigin: string | null = null): string {
  let set = '';
  const reply = { header: (_name: string, value: string) => (set = value) } as unknown as FastifyReply;
  setSessionCookie(request, reply, token, publicOrigin);
  return set;
}

describe('the cookie of a session', () => {
  const own = { cookie: 'a=b; millrace_session=rt-x; c=d', origin: 'http://flows.test:3000' };

  it('cannot be read by pages, nor sent from other sites, nor to other routes', () => {
    const common = 'millrace_session=rt-x; Path=/api/v1/authentication; Max-Age=2592000; HttpOnly; SameSite=Strict';
    expect(cookieFor(requestWith({}), 'rt-x')).toBe(common);
    expect(cookieFor(requestWith({}, 'https'), 'rt-x')).toBe(`${common}; Secure`);
    expect(cookieFor(requestWith({}), 'rt-x', 'https://flows.test')).toBe(`${common}; Secure`);
    expect(cookieFor(requestWith({}), 'rt-x', 'http://flows.test:3000')).toBe(common);
    expect(cookieFor(requestWith({}), null)).toContain('millrace_session=; Path=/api/v1/authentication; Max-Age=0;');
  });

  it('is read from a request of the same origin', () => {
    expect(sessionCookieOf(requestWith(own), null)).toBe('rt-x');
    expect(sessionCookieOf(requestWith({ ...own, origin: 'https://public.test' }), 'https://public.test')).toBe('rt-x');
    expect(sessionCookieOf(requestWith({ cookie: 'a=b' }), null)).toBeNull();
    expect(sessionCookieOf(requestWith({}), null)).toBeNull();
  });

  it.each([
    ['another site', 'http://evil.test', null],
    ['another port', 'http://flows.test:3001', null],
    ['a page without an origin', 'null', null],
    ['another origin than the public one', 'http://flows.test:3000', 'https://public.test'],
  ])('is refused from %s', (_what, origin, publicOrigin) => {
    expect(() => sessionCookieOf(requestWith({ ...own, origin }), publicOrigin)).toThrow(ForeignOriginError);
  });

  it('is refused without an origin', () => {
    expect(() => sessionCookieOf(requestWith({ cookie: own.cookie }), null)).toThrow(ForeignOriginError);
  });
});
