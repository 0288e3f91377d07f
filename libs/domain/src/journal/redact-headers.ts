import { REDACTED } from '../connections/secrets';

/**
 * The headers that carry credentials or signatures. Whoever reads a run could repeat the request with them.
 */
const CREDENTIALS: readonly string[] = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'webhook-signature',
  'x-hub-signature',
  'x-hub-signature-256',
  'stripe-signature',
  'x-slack-signature',
];

const NAMED = new RegExp(`"(?:${CREDENTIALS.join('|')})":`);

/** Whether headers in a JSON text may carry credentials. */
export const namesCredentials = (text: string): boolean => NAMED.test(text);

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The headers as they may be stored, without credentials. `headerName` is a further header with a secret. Returns the
 * same object when there is nothing to hide, which is nearly always so.
 */
export function redactHeaders(headers: Headers, headerName?: string): Headers {
  const present = CREDENTIALS.filter((name) => headers[name] !== undefined);
  if (headerName !== undefined && headers[headerName] !== undefined) present.push(headerName);
  if (present.length === 0) return headers;
  const stored = { ...headers };
  for (const name of present) stored[name] = REDACTED;
  return stored;
}
