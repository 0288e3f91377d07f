import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib';
import { storableJson, type JsonText } from '@millrace/domain';

// Step data on disk: the first byte is a mark that names the format, and UTF-8 text follows, plain or compressed.
// The columns are STORAGE EXTERNAL, so PostgreSQL does not try to compress them again.

/** The values of the first byte, for plain and for compressed content. */
export interface Marks {
  plain: number;
  deflated: number;
}

const JSON_MARKS: Marks = { plain: 0, deflated: 1 };
/** A later version may use any mark up to this one. A greater mark means that the bytes are damaged. */
const LAST_MARK = 63;
const COMPRESS_FROM_BYTES = 4 * 1024;
/** From this size on, compressing takes place off the event loop, which it would block for too long. */
const ASYNC_FROM_BYTES = 64 * 1024;
/** The fastest level, because step data is written far more often than it is read. */
const LEVEL = 1;

/** Thrown for stored bytes in a format of a later version of the service. */
export class NewerFormatError extends Error {}

/**
 * Returns the bytes to store, as a promise only from 64 KB on. Characters that PostgreSQL cannot hold in `jsonb` or
 * text are replaced.
 */
export const encodeJson = (text: JsonText): Buffer | Promise<Buffer> => encodeExactJson(storableJson(text));

/**
 * Encodes text of JSON.stringify that must be read back character by character. U+0000 and lone surrogates are escapes
 * in such text, so they stay.
 */
export function encodeExactJson(text: JsonText): Buffer | Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(1 + Buffer.byteLength(text));
  bytes.write(text, 1);
  return compressed(bytes, JSON_MARKS);
}

/** Compresses content from 4 KB on and sets its mark. The first byte of `bytes` is free for the mark. */
export function compressed(bytes: Buffer, marks: Marks): Buffer | Promise<Buffer> {
  bytes[0] = marks.plain;
  if (bytes.length < COMPRESS_FROM_BYTES) return bytes;
  const content = bytes.subarray(1);
  if (content.length < ASYNC_FROM_BYTES) return marked(deflateRawSync(content, { level: LEVEL }), marks);
  return promisify(deflateRaw)(content, { level: LEVEL }).then((deflated) => marked(deflated, marks));
}

/** Returns the bytes of the JSON text. */
export const decodeJsonBytes = (bytes: Buffer): Buffer | Promise<Buffer> => decompressed(bytes, JSON_MARKS);

export function decodeJson(bytes: Buffer): JsonText | Promise<JsonText> {
  const content = decodeJsonBytes(bytes);
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
    return new NewerFormatError(`A later version of the service stored this JSON, in the format ${mark}.`);
  return new Error(`Stored JSON is damaged: it begins with the unknown format ${mark}.`);
}

export const marked = (deflated: Buffer, { deflated: mark }: Marks): Buffer =>
  Buffer.concat([Buffer.of(mark), deflated]);

/**
 * Replaces U+0000, which PostgreSQL cannot hold, by U+FFFD. Encoding as UTF-8 replaces lone surrogates in the same way.
 */
export const storableText = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text);
