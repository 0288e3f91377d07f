import {
  InvalidRequestError,
  jsonDepth,
  PayloadTooLargeError,
  storableJson,
  UnsupportedMediaTypeError,
} from '@millrace/domain';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { bodyLimitOf, DEFAULT_BODY_LIMIT, type BodyLimit } from './body-limit.decorator';
import { takesFiles } from './file-bodies.decorator';
import { formMembers, takesForms } from './form-bodies.decorator';

// How a body becomes a value. Depth is counted on the text, before parsing: JSON.parse takes 100,000 levels, and what
// walks the value afterwards does not.

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it came. */
    rawBody?: Buffer;
  }
}

/** Every JSON body is parsed, and a form where the route takes one; other types are refused, but where files are taken. */
export function takeJsonBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', (request, payload, done) => {
    collect(request, payload, (body) => done(null, request.is404 ? undefined : jsonOrFile(request, body)), done);
  });
  fastify.addContentTypeParser('application/x-www-form-urlencoded', (request, payload, done) => {
    collect(request, payload, (body) => done(null, request.is404 ? undefined : formOrFile(request, body)), done);
  });
  fastify.addContentTypeParser('*', (request, payload, done) => {
    collect(request, payload, (body) => done(null, request.is404 ? undefined : fileBody(request, body)), done);
  });
}

/** Every body stays as it came, a Buffer: for routes that must see the sender's own bytes. */
export function takeRawBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (request, payload, done) => {
    collect(request, payload, (body) => done(null, body), done);
  });
}

/** How much more than its limit of a body is read, and thrown away, before the connection is cut. */
const PATIENCE = 64 * 1024 * 1024;

/**
 * The whole body, up to the route's limit. A body that is too large is read to its end all the same, without being kept:
 * who is answered and cut off while still sending sees a broken connection and not the answer.
 */
function collect(
  request: FastifyRequest,
  payload: IncomingMessage,
  take: (body: Buffer) => void,
  refuse: (error: Error) => void,
): void {
  const limit = request.routeOptions.bodyLimit ?? DEFAULT_BODY_LIMIT.bytes;
  const chunks: Buffer[] = [];
  let bytes = 0;
  payload.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= limit) chunks.push(chunk);
    else if (bytes > limit + PATIENCE) payload.destroy();
  });
  payload.once('error', refuse);
  payload.once('end', () => {
    try {
      if (bytes > limit) throw new PayloadTooLargeError(limit);
      take(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes));
    } catch (error) {
      refuse(error as Error);
    }
  });
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]+)/i;

const jsonOrFile = (request: FastifyRequest, body: Buffer): unknown =>
  takesFiles(request.routeOptions.config) ? fileBody(request, body) : jsonBody(request, body);

const formOrFile = (request: FastifyRequest, body: Buffer): unknown =>
  takesFiles(request.routeOptions.config) ? fileBody(request, body) : formBody(request, body);

function jsonBody(request: FastifyRequest, body: Buffer): unknown {
  assertPlain(request);
  const limit = bodyLimitOf(request.routeOptions.config);
  const text = body.toString('utf8');
  const depth = jsonDepth(text);
  assertWithin(limit, 0, depth);
  const value = parse(text);
  if (limit.limitOf) assertWithin(limit.limitOf(value), body.length, depth);
  request.rawBody = body;
  return value;
}

function formBody(request: FastifyRequest, body: Buffer): unknown {
  if (!takesForms(request.routeOptions.config))
    throw new UnsupportedMediaTypeError(request.headers['content-type'] ?? 'none');
  assertPlain(request);
  return formMembers(body.toString('utf8'));
}

/** Refused only now that it is read: who is answered while still sending may see a broken connection instead. */
function fileBody(request: FastifyRequest, body: Buffer): undefined {
  if (!takesFiles(request.routeOptions.config))
    throw new UnsupportedMediaTypeError(request.headers['content-type'] ?? 'none');
  assertUncompressed(request);
  request.rawBody = body;
}

/** UTF-8 is the only character set here, and compressed bodies are not taken. */
function assertPlain(request: FastifyRequest): void {
  const type = request.headers['content-type'] ?? '';
  const charset = CHARSET.exec(type)?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii') throw new UnsupportedMediaTypeError(type);
  assertUncompressed(request);
}

function assertUncompressed(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return;
  throw new UnsupportedMediaTypeError(`${request.headers['content-type'] ?? 'none'}, compressed as ${encoding}`);
}

function assertWithin(limit: BodyLimit, bytes: number, depth: number): void {
  if (bytes > limit.bytes) throw new PayloadTooLargeError(limit.bytes);
  if (depth > limit.depth)
    throw new InvalidRequestError([{ path: '', message: `nests deeper than ${limit.depth} levels.` }]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(storableJson(text));
  } catch {
    throw new InvalidRequestError([{ path: '', message: 'is not valid JSON.' }]);
  }
}
