import { isUtf8 } from 'node:buffer';
import { InvalidRequestError } from '../errors/invalid-request.error';
import { UnsupportedMediaTypeError } from '../errors/unsupported-media-type.error';
import { isLatin1 } from './utf8-text';

// Reads a form of type `application/x-www-form-urlencoded`. Its text has been made UTF-8 already (utf8-text.ts), but an
// escape such as `%E9` stands for a byte of the character set in which the form was sent. Escapes are read as UTF-8
// when this character set is UTF-16, in which no client writes forms.
//
// A worker reads a form on its event loop, so 25 MB must take about 0.1 s. Therefore the bytes are read once, and the
// number of members has a bound.

/** A member costs far more than its bytes: a form of 24 MB with five million empty members took 15 s. */
export const MOST_FORM_MEMBERS = 10_000;

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;
const ESCAPE_LENGTH = 3;
const ESCAPES = /(?:%[\da-f]{2})+/gi;

/** The members of the form. A member that occurs several times becomes a list. */
export function formMembers(form: Buffer, contentType = ''): Record<string, string | string[]> {
  const members = new Map<string, string[]>();
  const isInLatin1 = isLatin1(contentType);
  for (const [name, value] of pairsIn(form)) {
    const key = unescaped(name, isInLatin1).toString();
    const text = unescaped(value, isInLatin1).toString();
    const known = members.get(key);
    if (known) known.push(text);
    else members.set(key, [text]);
  }
  return Object.fromEntries(
    [...members].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

/**
 * Throws UnsupportedMediaTypeError for a form whose escapes are not in the declared character set, and
 * InvalidRequestError for one with too many members.
 */
export function assertReadableForm(form: Buffer, contentType = ''): void {
  if (hasTooMany(form))
    throw new InvalidRequestError([{ path: '', message: `A form has at most ${MOST_FORM_MEMBERS} members.` }]);
  if (isLatin1(contentType) || isUtf8(unescaped(form, false))) return;
  for (const [escapes] of form.toString().matchAll(ESCAPES))
    if (!isUtf8(unescaped(Buffer.from(escapes), false)))
      throw new UnsupportedMediaTypeError(
        contentType,
        `The form holds ${JSON.stringify(escapes)}, which is not utf-8.`,
      );
}

function hasTooMany(form: Buffer): boolean {
  let members = 1;
  for (let at = form.indexOf(AMPERSAND); at >= 0; at = form.indexOf(AMPERSAND, at + 1))
    if (++members > MOST_FORM_MEMBERS) return true;
  return false;
}

/** The name and the value of each member, with their escapes. A member without `=` has an empty value. */
function* pairsIn(form: Buffer): Iterable<[name: Buffer, value: Buffer]> {
  for (let start = 0; start < form.length;) {
    const found = form.indexOf(AMPERSAND, start);
    const end = found < 0 ? form.length : found;
    const part = form.subarray(start, end);
    const equals = part.indexOf(EQUALS);
    if (equals >= 0) yield [part.subarray(0, equals), part.subarray(equals + 1)];
    else if (part.length > 0) yield [part, part.subarray(part.length)];
    start = end + 1;
  }
}

/** The text without escapes, in UTF-8. It never grows: a Latin-1 escape has three bytes and at most two in UTF-8. */
function unescaped(text: Buffer, isInLatin1: boolean): Buffer {
  if (!text.includes(PERCENT) && !text.includes(PLUS)) return text;
  const bytes = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const written = text[at] as number;
    const escaped = written === PERCENT ? escapedAt(text, at) : -1;
    if (escaped >= 0) at += ESCAPE_LENGTH - 1;
    const byte = escaped >= 0 ? escaped : written === PLUS ? SPACE : written;
    if (isInLatin1 && escaped >= 0x80) {
      bytes[length++] = 0xc0 | (byte >> 6);
      bytes[length++] = 0x80 | (byte & 0x3f);
    } else bytes[length++] = byte;
  }
  return bytes.subarray(0, length);
}

/** The byte that the escape stands for, or -1 when two hexadecimal digits are missing and `%` stands for itself. */
function escapedAt(text: Buffer, at: number): number {
  const high = hexDigit(text[at + 1]);
  const low = hexDigit(text[at + 2]);
  return high < 0 || low < 0 ? -1 : (high << 4) | low;
}

function hexDigit(code = 0): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
