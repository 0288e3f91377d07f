import { WrongValue, type SettingType } from './setting';
import { textThat } from './simple-types';

const EXAMPLE = /change[-_ ]?(?:me|this|it)|example|your[-_ ]|replace[-_ ]?(?:me|with)|placeholder|insecure/i;
const FEWEST_DIFFERENT_CHARACTERS = 8;
const SHORTEST_SECRET = 32;
const SHORTEST_SHARED_PASSWORD = 12;
const KEY_BYTES = 32;

/** A secret that an operator chooses or generates. */
export const secret: SettingType<string> = {
  allowed: 'a random text of at least 32 characters',
  parse(given) {
    if (given.length < SHORTEST_SECRET) throw new WrongValue('must have at least 32 characters');
    refuseExamples(given);
    return given;
  },
};

/** A secret that is sent as a bearer token, which limits its characters. */
export const bearerToken: SettingType<string> = {
  allowed: 'a random text of at least 32 visible ASCII characters without comma',
  parse(given) {
    if (given.length < SHORTEST_SECRET) throw new WrongValue('must have at least 32 characters');
    if (!/^[!-+\--~]+$/.test(given)) throw new WrongValue('must have only visible ASCII characters, and no comma');
    refuseExamples(given);
    return given;
  },
};

/** A key of 32 bytes. */
export const encryptionKey: SettingType<Buffer> = {
  allowed: '32 random bytes, as 64 hexadecimal digits or as base64',
  parse(given) {
    const key = /^[0-9a-f]{64}$/i.test(given) ? Buffer.from(given, 'hex') : fromBase64(given);
    if (key?.length !== KEY_BYTES) return null;
    refuseExamples(given);
    return key;
  },
};

/** The form of an API key: `sk-` and 256 bits as base64url. */
export const API_KEY = /^sk-[A-Za-z0-9_-]{43}$/;

export const apiKey = textThat((given) => API_KEY.test(given), '"sk-" and 43 base64url characters');

export const password = textThat((given) => given.length >= 8 && given.length <= 128, 'a text of 8 to 128 characters');

/** A password that many programs and people share, and nobody changes for long. */
export const sharedPassword: SettingType<string> = {
  allowed: `a text of at least ${SHORTEST_SHARED_PASSWORD} characters`,
  parse(given) {
    if (given.length < SHORTEST_SHARED_PASSWORD) return null;
    refuseExamples(given);
    return given;
  },
};

function fromBase64(given: string): Buffer | null {
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(given) ? Buffer.from(given, 'base64') : null;
}

/** Refuses values that are easy to guess: examples from documents, repeated characters, rows of digits. */
function refuseExamples(given: string): void {
  const digits = '0123456789abcdef';
  const isRow = digits.repeat(8).startsWith(given.toLowerCase());
  if (isRow || EXAMPLE.test(given) || new Set(given).size < FEWEST_DIFFERENT_CHARACTERS)
    throw new WrongValue('is an example value; generate your own, for instance with "openssl rand -hex 32"');
}
