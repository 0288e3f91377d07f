import { ForeignOriginError, REFRESH_TOKEN_LIFETIME_MS } from '@millrace/domain';
import type { FastifyReply, FastifyRequest } from 'fastify';

// The refresh token of a browser's session. Pages cannot read the cookie, and browsers send it only to the routes of
// authentication and only from pages of the same site. Requests that use it must also come from the same origin.
//
// Without a public URL, that is the address that the request was sent to, by whatever name. A page can choose that name
// (DNS rebinding: evil.test resolves to this machine, and is Origin and Host alike), but it gains nothing: browsers keep
// the cookie for the host name that set it alone, so a request to another name comes without it. A page at another port
// of the same name gets the cookie sent, and is refused by its Origin.

const NAME = 'millrace_session';
const PATH = '/api/v1/authentication';

/**
 * Puts the token into the cookie; null removes it. Browsers send it by https only where the service is reached by it: as
 * `publicOrigin` says, or the request.
 */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string | null,
  publicOrigin: string | null,
): void {
  const lifetime = token === null ? 0 : REFRESH_TOKEN_LIFETIME_MS / 1000;
  const parts = [`${NAME}=${token ?? ''}`, `Path=${PATH}`, `Max-Age=${lifetime}`, 'HttpOnly', 'SameSite=Strict'];
  if (request.protocol === 'https' || publicOrigin?.startsWith('https:')) parts.push('Secure');
  void reply.header('set-cookie', parts.join('; '));
}

/**
 * Returns the token of the cookie, or null. Throws ForeignOriginError when the request has the cookie and does not come
 * from a page of the service: `publicOrigin`, or without one the address that the request was sent to.
 */
export function sessionCookieOf(request: FastifyRequest, publicOrigin: string | null): string | null {
  const token = cookieOf(request.headers.cookie);
  if (token === null) return null;
  const own = publicOrigin ?? `${request.protocol}://${request.host}`;
  if (request.headers.origin !== own) throw new ForeignOriginError();
  return token;
}

function cookieOf(header: string | undefined): string | null {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  const found = pairs.find((pair) => pair.startsWith(`${NAME}=`))?.slice(NAME.length + 1);
  return found === undefined || found === '' ? null : found;
}
