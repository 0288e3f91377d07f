import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { endToEnd } from './hop-by-hop';

/** Returns the headers of a request for the api, with `x-forwarded-*` headers about its origin. */
export const forwardedHeaders = (
  { headers: sent, socket }: { headers: IncomingHttpHeaders; socket: Pick<Socket, 'remoteAddress'> },
  headers: IncomingHttpHeaders = sent,
): IncomingHttpHeaders => ({
  ...endToEnd(headers),
  'x-forwarded-for': [sent['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', '),
  'x-forwarded-host': sent['x-forwarded-host'] ?? sent.host ?? '',
  'x-forwarded-proto': sent['x-forwarded-proto'] ?? 'http',
});
