import { domainToASCII } from 'node:url';
import type { Secret } from './secrets';

// A secret appears as it is, or as programs write it into other texts.

/**
 * The part of a base64 text that says only the secret, when `before` bytes stand before the secret in its group of
 * three.
 */
function insideBase64(text: string, before: 0 | 1 | 2): string {
  const bytes = Buffer.from('\0'.repeat(before) + text);
  return bytes.toString('base64').slice(FIRST_WHOLE[before], Math.floor((bytes.length * 8) / 6));
}

/** The first character of a group of four that depends on no byte before the secret. */
const FIRST_WHOLE = [0, 2, 3] as const;

const urlSafe = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_');

const percentCode = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

const inUrl = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

const inForm = (text: string): string =>
  inUrl(text)
    .replaceAll('%20', '+')
    .replace(/[!'()~]/g, percentCode);

const withCodes = (text: string, encoded: RegExp): string =>
  Buffer.from(text)
    .toString()
    .replace(encoded, (character) => (character === "'" ? percentCode(character) : encodeURIComponent(character)));

// URL parsers leave characters out and write others as codes (the sets of the URL standard, for http).
const REMOVED_FROM_URLS = /[\t\n\r]/g;
const CODED_IN_PATHS = /[^!#-;=?-_a-z|~]/gu;
/** The standard has coded `^` in paths since 2023, and so does Node.js 24. Earlier parsers do not. */
const CODED_IN_PATHS_SINCE_2023 = /[^!#-;=?-\]_a-z|~]/gu;
const CODED_IN_QUERIES = /[^!#-&(-;=?-~]/gu;

const inUrlQuery = (text: string): string => withCodes(text.replace(REMOVED_FROM_URLS, ''), CODED_IN_QUERIES);

/** The text in the path of a URL, which ends at the first question mark. */
function inUrlPath(text: string, coded = CODED_IN_PATHS): string {
  const [path = ''] = text.split('?', 1);
  const parsed = withCodes(path.replace(REMOVED_FROM_URLS, ''), coded).replaceAll('\\', '/');
  return parsed + inUrlQuery(text.slice(path.length));
}

const inNewerUrlPath = (text: string): string => inUrlPath(text, CODED_IN_PATHS_SINCE_2023);

const inUri = (text: string): string => encodeURI(Buffer.from(text).toString());

const smallCodes = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const HTML_CODES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Each form of a secret, by the name that references use. */
const WRITERS = {
  plain: (text: string) => text,
  json: inJson,
  jsonInJson: (text: string) => inJson(inJson(text)),
  html: (text: string) => text.replace(/[&<>"']/g, (character) => HTML_CODES[character] ?? character),
  lowerCase: (text: string) => text.toLowerCase(),
  hostName: domainToASCII,
  url: inUrl,
  smallUrl: (text: string) => smallCodes(inUrl(text)),
  form: inForm,
  smallForm: (text: string) => smallCodes(inForm(text)),
  urlPath: (text: string) => inUrlPath(text),
  smallUrlPath: (text: string) => smallCodes(inUrlPath(text)),
  newerUrlPath: inNewerUrlPath,
  smallNewerUrlPath: (text: string) => smallCodes(inNewerUrlPath(text)),
  urlQuery: inUrlQuery,
  smallUrlQuery: (text: string) => smallCodes(inUrlQuery(text)),
  uri: inUri,
  smallUri: (text: string) => smallCodes(inUri(text)),
  base64: (text: string) => Buffer.from(text).toString('base64'),
  base64url: (text: string) => Buffer.from(text).toString('base64url'),
  inBase64at0: (text: string) => insideBase64(text, 0),
  inBase64at1: (text: string) => insideBase64(text, 1),
  inBase64at2: (text: string) => insideBase64(text, 2),
  inBase64urlAt0: (text: string) => urlSafe(insideBase64(text, 0)),
  inBase64urlAt1: (text: string) => urlSafe(insideBase64(text, 1)),
  inBase64urlAt2: (text: string) => urlSafe(insideBase64(text, 2)),
  hex: (text: string) => Buffer.from(text).toString('hex'),
  HEX: (text: string) => Buffer.from(text).toString('hex').toUpperCase(),
} as const satisfies Record<string, (text: string) => string>;

export type SecretForm = keyof typeof WRITERS;

const FORMS = Object.keys(WRITERS) as SecretForm[];

/** The texts that JSON, HTML and URLs write as they are, and the forms that differ for them. */
const UNCHANGED = /^[\w.-]+$/;
const FORMS_OF_UNCHANGED = FORMS.filter((form) => /^plain$|^lowerCase$|base64|hex/i.test(form));
/** Each form of a file is as long as the file, so few of them are looked for. */
const FILE = 512;
const FORMS_OF_FILE = FORMS.filter((form) => !/^small|lowerCase|hostName|urlPath/i.test(form));
const LONG = 16_384;
const FORMS_OF_LONG: readonly SecretForm[] = ['plain', 'json'];
const COMMON_FORMS: readonly SecretForm[] = ['plain', 'json', 'url', 'form', 'base64', 'base64url'];

/** The forms in which a secret is looked for. */
export function formsOf({ text, only }: Secret): readonly SecretForm[] {
  if (only === 'text and JSON' || text.length > LONG) return FORMS_OF_LONG;
  if (only === 'common forms') return COMMON_FORMS;
  if (text.length > FILE) return FORMS_OF_FILE;
  return UNCHANGED.test(text) ? FORMS_OF_UNCHANGED : FORMS;
}

export const writtenAs = (form: SecretForm, text: string): string => WRITERS[form](text);
