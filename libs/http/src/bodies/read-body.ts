import { InvalidRequestError, PayloadTooLargeError } from '@millrace/domain';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { SMALL_BODY_BYTES, type BodyBudget, type BodyLease } from './body-budget';
import { DEFAULT_BODY_LIMIT } from './route-bodies.decorator';
import { contentCoding, decodeContent, type BodyListener } from './content-decoding';
import { askForBody } from './unread-bodies';

declare module 'fastify' {
  interface FastifyRequest {
    /** The lease of a large body. It is released when the request is answered; a handler may release it earlier. */
    bodyLease: BodyLease | null;
    answer: import('fastify').FastifyReply | null;
  }
}

/**
 * Reads the whole body and decompresses it. Calls `refuse` at once when the body exceeds the route's limit or the
 * budget; the rest of such a body is discarded. Exactly one of `take` and `refuse` is called.
 */
// eslint-disable-next-line max-lines-per-function -- the listeners share the state of one body
export function readBody(
  request: FastifyRequest,
  payload: IncomingMessage,
  budget: BodyBudget,
  take: (body: Buffer) => void,
  refuse: (error: Error) => void,
): void {
  const limit = request.routeOptions.bodyLimit ?? DEFAULT_BODY_LIMIT.bytes;
  const announced = Number(request.headers['content-length'] ?? 0);
  const lease = budget.lease();
  let coding: string | null;
  try {
    if (payload.destroyed) throw new InvalidRequestError([{ path: '', message: 'was not received to its end.' }]);
    coding = contentCoding(payload);
    if (announced > limit) throw new PayloadTooLargeError(limit);
    lease.growTo(announced);
  } catch (error) {
    payload.resume(); // Node would otherwise discard the rest itself, without a pace
    return refuse(error as Error);
  }
  const body = new ArrivingBody(lease, limit, coding === null ? announced : 0);
  const stop = (error: Error): void => {
    lease.release();
    stopDecoding();
    payload.removeAllListeners('data').resume();
    if (!body.isClosed) refuse(error);
    body.isClosed = true;
  };
  const listener: BodyListener = {
    chunk(chunk) {
      try {
        if (!body.isClosed) body.add(chunk);
      } catch (error) {
        stop(error as Error);
      }
    },
    end() {
      if (body.isClosed) return;
      body.isClosed = true;
      const content = body.content;
      keepOrRelease(request, lease);
      try {
        take(content);
      } catch (error) {
        refuse(error as Error);
      }
    },
    failed: stop,
  };
  if (request.answer) askForBody(request.raw, request.answer.raw);
  const stopDecoding = listen(payload, coding, listener);
}

function listen(payload: IncomingMessage, coding: string | null, listener: BodyListener): () => void {
  if (coding !== null) return decodeContent(payload, coding, listener);
  payload.on('data', listener.chunk);
  payload.once('end', listener.end);
  payload.once('error', listener.failed);
  return () => undefined;
}

/** Releases the bytes of a small body at once. A large body keeps its bytes until the answer or an earlier release. */
function keepOrRelease(request: FastifyRequest, lease: BodyLease): void {
  if (!lease.isLarge || !request.answer) return lease.release();
  request.bodyLease = lease;
  request.answer.raw.once('close', () => lease.release());
}

/**
 * The bytes received so far. A large body of known length is written into one buffer, so that it is never copied again.
 */
class ArrivingBody {
  isClosed = false;
  private readonly chunks: Buffer[] = [];
  private readonly place: Buffer | null;
  private bytes = 0;

  constructor(
    private readonly lease: BodyLease,
    private readonly limit: number,
    announced: number,
  ) {
    this.place = announced > SMALL_BODY_BYTES ? Buffer.allocUnsafeSlow(announced) : null;
  }

  add(chunk: Buffer): void {
    const end = this.bytes + chunk.length;
    if (end > this.limit) throw new PayloadTooLargeError(this.limit);
    if (this.place) chunk.copy(this.place, this.bytes);
    else {
      this.lease.growTo(end);
      this.chunks.push(chunk);
    }
    this.bytes = end;
  }

  get content(): Buffer {
    if (this.place) return this.place;
    const [first] = this.chunks;
    return this.chunks.length === 1 && first ? first : Buffer.concat(this.chunks, this.bytes);
  }
}
