import { OutboundFailure } from '@millrace/domain';
import { Writable, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { answerTooLarge } from './failures';

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** More layers of compression are of no use, and each multiplies the size that a small answer can expand to. */
const MOST_LAYERS = 2;

export interface AnswerEncoding {
  readonly contentEncoding: string | undefined;
  readonly contentLength: string | undefined;
}

/** Returns the decoders for an answer, the outermost last; null when a coding is unknown and the body stays encoded. */
function decodersOf(contentEncoding: string | undefined): readonly (() => NodeJS.ReadWriteStream)[] | null {
  const names = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > MOST_LAYERS)
    throw new OutboundFailure('unreachable', `The answer is compressed more than ${MOST_LAYERS} times.`);
  const decoders = names.map((name) => (Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined));
  return decoders.every((decoder) => decoder !== undefined) ? decoders : null;
}

/** Tells whether `readBody` decompresses a body with this coding. */
export const isDecoded = (contentEncoding: string | undefined): boolean =>
  (decodersOf(contentEncoding)?.length ?? 0) > 0;

/**
 * Reads a body to its end and decompresses it. Throws OutboundFailure `tooLarge` at the first chunk beyond the limit,
 * so that the rest of a small answer that expands far is never held.
 */
export async function readBody(body: Readable, encoding: AnswerEncoding, limitBytes: number): Promise<Uint8Array> {
  const decoders = decodersOf(encoding.contentEncoding) ?? [];
  const announced = decoders.length === 0 ? Number(encoding.contentLength ?? 0) : 0;
  const pieces: Uint8Array[] = [];
  let length = 0;
  const collector = new Writable({
    construct: (done) => done(announced > limitBytes ? answerTooLarge(limitBytes) : null),
    write(piece: Uint8Array, _encoding, done) {
      length += piece.byteLength;
      if (length > limitBytes) return done(answerTooLarge(limitBytes));
      pieces.push(piece);
      done();
    },
  });
  await pipeline([body, ...decoders.map((create) => create()).reverse(), collector]);
  return Buffer.concat(pieces, length);
}
