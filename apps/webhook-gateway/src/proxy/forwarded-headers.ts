import { endToEnd } from '@millrace/http';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';

/** The headers of a request that is passed on, with what its sender said and where it comes from. */
export const forwardedHeaders = (
  { headers: sent, socket }: { headers: IncomingHttpHeaders; socket: Pick<Socket, 'remoteAddress'> },
  headers: IncomingHttpHeaders = sent,
): IncomingHttpHeaders => ({
  ...endToEnd(headers),
  'x-forwarded-for': [sent['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', '),
  'x-forwarded-host': sent['x-forwarded-host'] ?? sent.host ?? '',
  'x-forwarded-proto': sent['x-forwarded-proto'] ?? 'http',
});
