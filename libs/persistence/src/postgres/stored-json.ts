import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib';
import { storableJson, type JsonText } from '@millrace/domain';

// Step data on disk: one byte that says how, then UTF-8 text, compressed when that pays.
// The columns are STORAGE EXTERNAL: PostgreSQL does not try to compress them again.

/** The first byte, by what follows. */
export interface Marks {
  plain: number;
  deflated: number;
}

const JSON_MARKS: Marks = { plain: 0, deflated: 1 };
/** A later version may give any mark up to here a meaning; above it is damage. */
const LAST_MARK = 63;
const COMPRESS_FROM_BYTES = 4 * 1024;
/** Above this, compressing on the event loop would hold everyone else up. */
const ASYNC_FROM_BYTES = 64 * 1024;
/** Fastest: step data is written far more often than read. */
const LEVEL = 1;

/** Thrown for stored bytes that only a later version can read. */
export class NewerFormatError extends Error {}

/** Bytes to store; a promise only when the text is large. */
export const encodeJson = (text: JsonText): Buffer | Promise<Buffer> => encodeExactJson(storableJson(text));

/** For text of JSON.stringify that must come back character by character: U+0000 and lone surrogates stay, as escapes. */
export function encodeExactJson(text: JsonText): Buffer | Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(1 + Buffer.byteLength(text));
  bytes.write(text, 1);
  return compressed(bytes, JSON_MARKS);
}

/** Content whose first byte is left for the mark. */
export function compressed(bytes: Buffer, marks: Marks): Buffer | Promise<Buffer> {
  bytes[0] = marks.plain;
  if (bytes.length < COMPRESS_FROM_BYTES) return bytes;
  const content = bytes.subarray(1);
  if (content.length < ASYNC_FROM_BYTES) return marked(deflateRawSync(content, { level: LEVEL }), marks);
  return promisify(deflateRaw)(content, { level: LEVEL }).then((deflated) => marked(deflated, marks));
}

export function decodeJson(bytes: Buffer): JsonText | Promise<JsonText> {
  const content = decompressed(bytes, JSON_MARKS);
  return Buffer.isBuffer(content) ? content.toString() : content.then((text) => text.toString());
}

export function decompressed(bytes: Buffer, marks: Marks): Buffer | Promise<Buffer> {
  const content = bytes.subarray(1);
  if (bytes[0] === marks.plain) return content;
  if (bytes[0] !== marks.deflated) throw unknownMark(bytes[0]);
  return content.length < ASYNC_FROM_BYTES ? inflateRawSync(content) : promisify(inflateRaw)(content);
}

function unknownMark(mark: number | undefined): Error {
  if (mark !== undefined && mark <= LAST_MARK)
    return new NewerFormatError(`A later version wrote this, with the mark ${mark}.`);
  return new Error(`Stored JSON begins with the unknown mark ${mark}.`);
}

export const marked = (deflated: Buffer, { deflated: mark }: Marks): Buffer =>
  Buffer.concat([Buffer.of(mark), deflated]);

/** Plain text that PostgreSQL can hold: U+0000 reads U+FFFD. Lone surrogates become U+FFFD on their way into UTF-8. */
export const storableText = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text);
