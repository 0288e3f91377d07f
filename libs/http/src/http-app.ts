import { InvalidRequestError } from '@millrace/domain';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BodyBudget } from './bodies/body-budget';
import { bodyLimitOf, DEFAULT_BODY_LIMIT } from './bodies/route-bodies.decorator';
import { DomainErrorFilter } from './errors/domain-error.filter';
import { frameworkAnswer } from './errors/error-answer';
import type { HttpSettings } from './settings/http.env';
import { JsonLogger } from './logs/json-logger';
import { KnownRoutes } from './errors/known-routes';
import { takeJsonBodies, takeRawBodies } from './bodies/request-bodies';
import { closeAfterAnswer } from './bodies/unread-bodies';

// Makes the HTTP server of every app.
//
// H1. Every answer has the header `x-request-id`. Every error answer is `{statusCode, code, params}`, also those of the
//     parser and the router.
// H2. A request runs only code that a webhook needs: no interceptor, no global pipe, no log line above debug.

type AppModule = Parameters<typeof NestFactory.create>[0];

export interface HttpAppOptions {
  /** The name of the app in its log lines. */
  name: string;
  /** `raw` leaves every body as the Buffer that was received, for routes that sign or store the sender's bytes. */
  bodies?: 'json' | 'raw';
  /** The largest body of routes without a limit of their own. */
  bodyBytes?: number;
  /** How many bytes of bodies the process holds at once. It should be enough for one of the largest bodies. */
  heldBodyBytes?: number;
  /** Translates errors of a store, which this library does not know, into errors of the domain. */
  nameError?: (error: unknown) => unknown;
}

const HELD_BODY_BYTES = 64 * 1024 * 1024;
const KEEP_ALIVE_MS = 72_000;
const REQUEST_DEADLINE_MS = 30_000;
const HEADERS_DEADLINE_MS = 10_000;
/** By default Node checks every 30 s, so a deadline of 10 s could become one of 40 s. */
const DEADLINES_CHECKED_EVERY_MS = 1_000;

/** Returns the app, wired but not listening yet. Rejects when a part of the app cannot start. */
export async function createHttpApp(
  module: AppModule,
  settings: HttpSettings,
  { name, bodies = 'json', bodyBytes = DEFAULT_BODY_LIMIT.bytes, heldBodyBytes, nameError }: HttpAppOptions,
): Promise<NestFastifyApplication> {
  const logger = new JsonLogger(name, settings.SVC_LOG_LEVEL);
  const adapter = fastifyAdapter(settings, bodyBytes);
  const fastify = adapter.getInstance<FastifyInstance>();
  const routes = new KnownRoutes();
  prepare(fastify, routes, logger);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger,
    bodyParser: false,
    abortOnError: false,
  });
  const budget = new BodyBudget(heldBodyBytes ?? HELD_BODY_BYTES);
  if (bodies === 'raw') takeRawBodies(fastify, budget);
  else takeJsonBodies(fastify, budget);
  app.useGlobalFilters(new DomainErrorFilter(logger, routes, nameError));
  return app;
}

function fastifyAdapter(settings: HttpSettings, bodyLimit: number): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit,
    trustProxy: settings.SVC_TRUSTED_PROXIES.length > 0 ? settings.SVC_TRUSTED_PROXIES : false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_DEADLINE_MS,
    http: {
      headersTimeout: HEADERS_DEADLINE_MS,
      connectionsCheckingInterval: DEADLINES_CHECKED_EVERY_MS,
      requireHostHeader: false, // an onRequest hook refuses such requests, because Node's answer has another shape
    },
    // Requests on open connections are still served while the app closes.
    return503OnClosing: false,
    genReqId: () => randomUUID(),
    frameworkErrors: (error: { statusCode?: number }, request: unknown, reply: unknown) =>
      answerRouterError(error, request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler: (error, socket) => answerParserError(error, socket),
  });
}

function prepare(fastify: FastifyInstance, routes: KnownRoutes, logger: JsonLogger): void {
  fastify.addHook('onRoute', (route) => {
    routes.add(route.url, route.method);
    const limit = bodyLimitOf(route.config);
    if (limit !== DEFAULT_BODY_LIMIT) route.bodyLimit = limit.bytes;
  });
  fastify.decorateRequest('answer', null);
  fastify.decorateRequest('bodyLease', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    request.answer = reply;
    nameAnswer(request, reply);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') done(NO_HOST);
    else done();
  });
  if (logger.isLevelEnabled('debug'))
    fastify.addHook('onResponse', (request, reply, done) => {
      const { method, url, id } = request;
      const path = url.split('?', 1)[0];
      logger.debug(
        { requestId: id, method, path, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
        'Http',
      );
      done();
    });
  // The server asks for an expected body (100-continue) only when it reads the body, and not when it refuses the
  // request.
  fastify.server.on('checkContinue', (request, response) => fastify.server.emit('request', request, response));
  fastify.server.on('checkExpectation', answerUnknownExpectation);
  fastify.server.on('connect', (_request, socket) => refuse(socket as Socket, 405));
}

const NO_HOST = new InvalidRequestError([{ path: '/host', message: 'is a header that HTTP/1.1 requires.' }]);

function answerUnknownExpectation(request: IncomingMessage, response: ServerResponse): void {
  closeAfterAnswer(request, response);
  const body = JSON.stringify(frameworkAnswer(417));
  response.writeHead(417, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': randomUUID(),
  });
  response.end(body);
}

function nameAnswer(request: FastifyRequest, reply: FastifyReply): void {
  void reply.header('x-request-id', request.id);
  void reply.header('x-content-type-options', 'nosniff');
  void reply.header('cache-control', 'no-store');
}

/** The router refuses a malformed or too long address before any hook or filter runs. */
function answerRouterError(error: { statusCode?: number }, request: FastifyRequest, reply: FastifyReply): void {
  const body = frameworkAnswer(error.statusCode ?? 400);
  nameAnswer(request, reply);
  closeAfterAnswer(request.raw, reply.raw);
  void reply.status(body.statusCode).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

const STATUS_OF_PARSER_ERROR: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Node's parser refuses malformed requests before there is a request object. */
function answerParserError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  refuse(socket, STATUS_OF_PARSER_ERROR[error.code ?? ''] ?? 400);
}

function refuse(socket: Socket, status: number): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(frameworkAnswer(status));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomUUID()}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
