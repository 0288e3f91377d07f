import { EnvError, makeValidator } from 'envalid';

const EXAMPLE = /change[-_ ]?(?:me|this|it)|example|your[-_ ]|replace[-_ ]?(?:me|with)|placeholder|insecure/i;
const FEWEST_DIFFERENT_CHARACTERS = 8;
const KEY_BYTES = 32;

/** A secret that an operator chooses or generates. It has at least 32 characters and is no example value. */
export const secret = makeValidator<string>((text) => {
  if (text.length < 32) throw new EnvError('must have at least 32 characters');
  refuseExamples(text);
  return text;
});

/** A key of 32 bytes, written as 64 hexadecimal digits or as base64. */
export const encryptionKey = makeValidator<Buffer>((text) => {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : fromBase64(text);
  if (key?.length !== KEY_BYTES) throw new EnvError('must be 32 bytes, as 64 hexadecimal digits or as base64');
  refuseExamples(text);
  return key;
});

/** A secret that is sent as a bearer token, which limits its characters. */
const bearerToken = makeValidator<string>((text) => {
  if (text.length < 32) throw new EnvError('must have at least 32 characters');
  if (!/^[!-+\--~]+$/.test(text)) throw new EnvError('must have only visible ASCII characters, and no comma');
  refuseExamples(text);
  return text;
});

/** The settings of the apps that share the worker token. */
export const workerTokenEnv = {
  SVC_WORKER_TOKEN: bearerToken({ desc: 'by which the api knows its workers' }),
};

/** The settings of an app that opens and seals secrets. */
export const encryptionEnv = {
  SVC_ENCRYPTION_KEY: encryptionKey({ desc: 'wraps the keys that seal stored secrets' }),
  SVC_ENCRYPTION_PREVIOUS_KEY: encryptionKey({
    default: undefined,
    desc: 'opens what an earlier key sealed, during a rotation',
  }),
};

/** The settings of the gateway, which opens only what belongs to webhooks. */
export const webhookKeyEnv = {
  SVC_WEBHOOK_KEY: encryptionKey({ desc: 'opens the secrets of webhooks' }),
  SVC_WEBHOOK_PREVIOUS_KEY: encryptionKey({
    default: undefined,
    desc: 'opens what an earlier key sealed, during a rotation',
  }),
};

function fromBase64(text: string): Buffer | null {
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null;
}

/** Refuses values that are easy to guess: examples from documents, repeated characters, rows of digits. */
function refuseExamples(text: string): void {
  const digits = '0123456789abcdef';
  const isRow = digits.repeat(8).startsWith(text.toLowerCase());
  if (isRow || EXAMPLE.test(text) || new Set(text).size < FEWEST_DIFFERENT_CHARACTERS)
    throw new EnvError('is an example value; generate your own, for instance with "openssl rand -hex 32"');
}
