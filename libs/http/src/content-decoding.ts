import { InvalidRequestError, UnsupportedMediaTypeError } from '@millrace/domain';
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

type Decoder = (firstChunk: Buffer) => Transform;

/** The low half of a zlib stream's first byte. Some send deflate without that frame. */
const ZLIB = 8;

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  br: () => createBrotliDecompress(),
  deflate: (first) => ((first[0] ?? 0) % 16 === ZLIB ? createInflate() : createInflateRaw()),
};

/** What a body arrives as. */
export interface BodyListener {
  chunk(chunk: Buffer): void;
  end(): void;
  failed(error: Error): void;
}

/** Null for a body that is not compressed. Throws UnsupportedMediaTypeError for a coding that is not taken. */
export function contentCoding(request: IncomingMessage): string | null {
  const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return null;
  if (Object.hasOwn(DECODERS, coding)) return coding;
  throw new UnsupportedMediaTypeError(coding, `Bodies compressed as ${JSON.stringify(coding)} are not accepted here.`);
}

/** Hears the body without its compression, never further ahead than a few chunks; both must end together. Answers how to stop. */
export function decodeContent(payload: IncomingMessage, coding: string, listener: BodyListener): () => void {
  let decoder: Transform | null = null;
  let sentBytes = 0;
  let isSent = false;
  const isReadToItsEnd = (ended: Transform): boolean =>
    isSent && (ended as Transform & { bytesWritten: number }).bytesWritten === sentBytes;
  const start = (first: Buffer): Transform => {
    const started = (DECODERS[coding] as Decoder)(first);
    started.on('data', (chunk: Buffer) => listener.chunk(chunk));
    started.once('end', () => (isReadToItsEnd(started) ? listener.end() : listener.failed(notDecodable(coding))));
    started.on('drain', () => payload.resume());
    started.once('error', () => listener.failed(notDecodable(coding)));
    return started;
  };
  payload.on('data', (chunk: Buffer) => {
    sentBytes += chunk.length;
    if (!(decoder ??= start(chunk)).write(chunk)) payload.pause();
  });
  payload.once('end', () => {
    isSent = true;
    if (decoder) decoder.end();
    else listener.end();
  });
  payload.once('error', (error) => listener.failed(error));
  return () => decoder?.destroy();
}

const notDecodable = (coding: string): InvalidRequestError =>
  new InvalidRequestError([{ path: '', message: `The body is not valid ${coding}.` }]);
