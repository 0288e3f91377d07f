import { isUtf8 } from 'node:buffer';
import { UnsupportedMediaTypeError } from '../errors/unsupported-media-type.error';

// Converts received text to UTF-8. Bytes that are not text in their declared character set are refused: a decoder that
// replaces them by U+FFFD would change what the sender sent.

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]+)/i;
const UTF_8 = ['utf-8', 'utf8', 'us-ascii', 'ascii'];
const UTF_16 = ['utf-16', 'utf-16le', 'utf-16be'];
const LATIN_1 = ['iso-8859-1', 'iso_8859-1', 'iso8859-1', 'latin1', 'latin-1', 'l1'];

/** The text as UTF-8 without a byte order mark. Throws UnsupportedMediaTypeError. */
export function utf8Of(bytes: Buffer, contentType = ''): Buffer {
  const charset = declaredIn(contentType) ?? (byteOrderOf(bytes) ? 'utf-16' : 'utf-8');
  if (UTF_8.includes(charset)) return isUtf8(bytes) ? withoutMark(bytes) : refuse(contentType, charset);
  if (LATIN_1.includes(charset)) return Buffer.from(bytes.toString('latin1'));
  if (UTF_16.includes(charset)) return decoded(bytes, byteOrder(bytes, charset), contentType);
  throw new UnsupportedMediaTypeError(contentType);
}

/** Whether the content type declares Latin-1, in which each byte is a character. */
export const isLatin1 = (contentType: string): boolean => LATIN_1.includes(declaredIn(contentType) ?? '');

const declaredIn = (contentType: string): string | undefined => CHARSET.exec(contentType)?.[1]?.toLowerCase();

const withoutMark = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

function decoded(bytes: Buffer, charset: string, contentType: string): Buffer {
  try {
    return Buffer.from(new TextDecoder(charset, { fatal: true }).decode(bytes));
  } catch {
    return refuse(contentType, charset);
  }
}

function refuse(contentType: string, charset: string): never {
  throw new UnsupportedMediaTypeError(contentType, `The body is not valid ${charset}.`);
}

function byteOrderOf(bytes: Buffer): 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null;
}

/** When neither the name nor a byte order mark tells the byte order, the place of the first zero byte does. */
function byteOrder(bytes: Buffer, charset: string): string {
  if (charset !== 'utf-16') return charset;
  return byteOrderOf(bytes) ?? (bytes[0] === 0 ? 'utf-16be' : 'utf-16le');
}
