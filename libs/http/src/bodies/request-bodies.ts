import {
  assertReadableForm,
  formMembers,
  InvalidRequestError,
  jsonDepth,
  PayloadTooLargeError,
  storableJson,
  UnsupportedMediaTypeError,
  utf8Of,
} from '@millrace/domain';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import type { BodyBudget } from './body-budget';
import { bodyLimitOf, takesFiles, takesForms, type BodyLimit } from './route-bodies.decorator';
import { readBody } from './read-body';

// Turns bodies into values. The depth is counted in the text, before parsing: JSON.parse accepts 100,000 levels, but
// later code could not walk such a value.

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes of the body, decompressed. */
    rawBody?: Buffer;
  }
}

/** Parses JSON bodies, and forms for routes that take forms. Refuses other types, except for routes that take files. */
export function takeJsonBodies(fastify: FastifyInstance, budget: BodyBudget): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', (request, payload, done) => {
    readBody(
      request,
      payload,
      budget,
      (body) => done(null, request.is404 ? undefined : jsonOrFile(request, body)),
      done,
    );
  });
  fastify.addContentTypeParser('application/x-www-form-urlencoded', (request, payload, done) => {
    readBody(
      request,
      payload,
      budget,
      (body) => done(null, request.is404 ? undefined : formOrFile(request, body)),
      done,
    );
  });
  fastify.addContentTypeParser('*', (request, payload, done) => {
    readBody(request, payload, budget, (body) => done(null, request.is404 ? undefined : fileBody(request, body)), done);
  });
}

/** Leaves every body as a Buffer of the sender's bytes. */
export function takeRawBodies(fastify: FastifyInstance, budget: BodyBudget): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (request, payload, done) => {
    readBody(request, payload, budget, (body) => done(null, body), done);
  });
}

const jsonOrFile = (request: FastifyRequest, body: Buffer): unknown =>
  takesFiles(request.routeOptions.config) ? fileBody(request, body) : jsonBody(request, body);

const formOrFile = (request: FastifyRequest, body: Buffer): unknown =>
  takesFiles(request.routeOptions.config) ? fileBody(request, body) : formBody(request, body);

function jsonBody(request: FastifyRequest, body: Buffer): unknown {
  const limit = bodyLimitOf(request.routeOptions.config);
  const text = jsonTextOf(request, body);
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
  const type = request.headers['content-type'];
  const form = utf8Of(body, type);
  assertReadableForm(form, type);
  return JSON.parse(storableJson(JSON.stringify(formMembers(form, type))));
}

/**
 * Refuses a wrong type only after the body was read. A client that gets its answer while it is still sending may see a
 * broken connection instead.
 */
function fileBody(request: FastifyRequest, body: Buffer): undefined {
  if (!takesFiles(request.routeOptions.config))
    throw new UnsupportedMediaTypeError(request.headers['content-type'] ?? 'none');
  request.rawBody = body;
}

const textOf = (request: FastifyRequest, body: Buffer): string =>
  utf8Of(body, request.headers['content-type']).toString();

/** Decodes JSON. Without a charset it must be UTF-8; other bytes are malformed JSON and not an unsupported type. */
function jsonTextOf(request: FastifyRequest, body: Buffer): string {
  if (!/charset/i.test(request.headers['content-type'] ?? '') && !isUtf8(body))
    throw new InvalidRequestError([{ path: '', message: 'is not valid UTF-8.' }]);
  return textOf(request, body);
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
