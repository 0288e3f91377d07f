import { OutboundFailure } from '@millrace/domain';

/** The same sentence serves every refused address, so that it tells nothing about the network. */
export const targetRefused = (cause?: unknown): OutboundFailure =>
  new OutboundFailure(
    'refused',
    'The target is not allowed: it is an address inside a network, and not on the list SVC_SSRF_ALLOW_LIST.',
    { cause },
  );

export const answerTooLarge = (limitBytes: number): OutboundFailure =>
  new OutboundFailure('tooLarge', `The answer is larger than ${limitBytes} bytes.`);

const CLOSED = (host: string): string => `The connection to ${host} was closed before the answer was complete.`;
const NOT_READABLE = (host: string): string => `The answer of ${host} is not valid HTTP.`;
const NOT_DECOMPRESSED = (host: string): string => `The answer of ${host} cannot be decompressed.`;

const CLOSED_CODES =
  /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED|ERR_STREAM_PREMATURE_CLOSE)$/;

/** Patterns of error codes of the system, of undici and of zlib, with their messages. */
const SENTENCES: readonly (readonly [RegExp, (host: string) => string])[] = [
  [/^ECONNREFUSED$/, (host) => `${host} refuses the connection.`],
  [CLOSED_CODES, CLOSED],
  [/^(?:HPE_|UND_ERR_)(?!CONNECT)/, NOT_READABLE],
  [/^(?:Z_|ERR_BROTLI|ERR__ERROR_FORMAT|ERR_PADDING|ERR_ZLIB|ERR_BUFFER_TOO)/, NOT_DECOMPRESSED],
  [
    /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_)/,
    (host) => `The certificate of ${host} cannot be trusted.`,
  ],
  [/^(?:EPROTO$|ERR_SSL_)/, (host) => `${host} does not speak TLS as it should.`],
];

/** Turns an error of the network into an OutboundFailure. Any other error is a bug and is returned unchanged. */
export function asFailure(error: unknown, host: string): unknown {
  if (error instanceof OutboundFailure) return error;
  const code = codeOf(error);
  if (code === null) return error;
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW')
    return new OutboundFailure('tooLarge', 'The headers of the answer are too large.', { cause: error });
  if (code === 'UND_ERR_INVALID_ARG')
    return new OutboundFailure('invalid', 'The request cannot be sent as HTTP.', { cause: error });
  const sentence = SENTENCES.find(([codes]) => codes.test(code))?.[1] ?? ((name) => `${name} cannot be reached.`);
  return new OutboundFailure('unreachable', sentence(host), { cause: error });
}

/** Whether the target closed the connection. */
export const isClosed = (error: unknown): boolean => CLOSED_CODES.test(codeOf(error) ?? '');

/** Returns the code of an error of the system or of a library, or null when it has none. */
export function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error && error.name === 'HTTPParserError' ? 'HPE_UNKNOWN' : null; // undici leaves some without a code
}
