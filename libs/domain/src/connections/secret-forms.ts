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

/** Each form of a secret, by the name that references use. */
const WRITERS = {
  plain: (text: string) => text,
  json: (text: string) => JSON.stringify(text).slice(1, -1),
  url: inUrl,
  form: (text: string) =>
    inUrl(text)
      .replaceAll('%20', '+')
      .replace(/[!'()~]/g, percentCode),
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
const FORMS_OF_LONG: readonly SecretForm[] = ['plain', 'json'];
const LONG = 16_384;

/** The forms in which a secret is looked for. Of a very long one these are few, because each is as long as the secret. */
export const formsOf = ({ length }: string): readonly SecretForm[] => (length > LONG ? FORMS_OF_LONG : FORMS);

export const writtenAs = (form: SecretForm, text: string): string => WRITERS[form](text);
