import { InvalidRequestError, UnsupportedMediaTypeError } from '@millrace/domain';
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

type Decoder = (firstChunk: Buffer) => Transform;

/** The low four bits of the first byte of a zlib stream. Some clients send deflate without the frame of zlib. */
const ZLIB = 8;

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  br: () => createBrotliDecompress(),
  deflate: (first) => ((first[0] ?? 0) % 16 === ZLIB ? createInflate() : createInflateRaw()),
};

/** Receives a body. Either `end` or `failed` is called last. */
export interface BodyListener {
  chunk: (chunk: Buffer) => void;
  end: () => void;
  failed: (error: Error) => void;
}

/**
 * Returns the content coding, or null for an uncompressed body. Throws UnsupportedMediaTypeError for an unknown coding.
 */
export function contentCoding(request: IncomingMessage): string | null {
  const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return null;
  if (Object.hasOwn(DECODERS, coding)) return coding;
  throw new UnsupportedMediaTypeError(coding, `Bodies compressed as ${JSON.stringify(coding)} are not accepted here.`);
}

/**
 * Passes the decompressed body to the listener, at the pace at which it is decompressed. A body that continues after
 * the end of its compressed data, or ends before it, fails. Returns a function that stops.
 */
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
