import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bodyLimitOf, DEFAULT_BODY_LIMIT } from './body-limit.decorator';
import { DomainErrorFilter } from './domain-error.filter';
import { frameworkAnswer } from './error-answer';
import type { HttpSettings } from './http.env';
import { JsonLogger } from './json-logger';
import { KnownRoutes } from './known-routes';
import { takeJsonBodies, takeRawBodies } from './request-bodies';

// How every app of the service speaks HTTP.
//
// H1. Every answer carries `x-request-id`; every error answer is `{statusCode, code, params}`, whoever found the error.
// H2. Nothing here runs per request that a webhook does not need: no interceptor, no global pipe, no log line above debug.

type AppModule = Parameters<typeof NestFactory.create>[0];

export interface HttpAppOptions {
  /** The name in its log lines. */
  name: string;
  /** `raw` leaves every body as the Buffer that came, for routes that sign or store the sender's own bytes. */
  bodies?: 'json' | 'raw';
  /** Largest body of routes that say nothing else. */
  bodyBytes?: number;
  /** Gives errors of a store, which this library does not know, a name of the domain. */
  nameError?: (error: unknown) => unknown;
}

const KEEP_ALIVE_MS = 72_000;
const REQUEST_DEADLINE_MS = 30_000;
const HEADERS_DEADLINE_MS = 10_000;
/** By default Node looks every 30 s, so that a deadline of 10 s could be one of 40. */
const DEADLINES_CHECKED_EVERY_MS = 1_000;

/** The app, wired but not listening. */
export async function createHttpApp(
  module: AppModule,
  settings: HttpSettings,
  { name, bodies = 'json', bodyBytes = DEFAULT_BODY_LIMIT.bytes, nameError }: HttpAppOptions,
): Promise<NestFastifyApplication> {
  const logger = new JsonLogger(name, settings.SVC_LOG_LEVEL);
  const adapter = fastifyAdapter(settings, bodyBytes);
  const fastify = adapter.getInstance() as unknown as FastifyInstance;
  const routes = new KnownRoutes();
  prepare(fastify, routes, logger);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger,
    bodyParser: false,
    abortOnError: false,
  });
  if (bodies === 'raw') takeRawBodies(fastify);
  else takeJsonBodies(fastify);
  app.useGlobalFilters(new DomainErrorFilter(logger, routes, nameError));
  return app;
}

function fastifyAdapter(settings: HttpSettings, bodyLimit: number): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit,
    trustProxy: settings.SVC_TRUSTED_PROXIES.length > 0 ? settings.SVC_TRUSTED_PROXIES : false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_DEADLINE_MS,
    http: { headersTimeout: HEADERS_DEADLINE_MS, connectionsCheckingInterval: DEADLINES_CHECKED_EVERY_MS },
    // While closing, requests on open connections are still served: they came before the door shut.
    return503OnClosing: false,
    genReqId: () => randomUUID(),
    frameworkErrors: (error: { statusCode?: number }, request: unknown, reply: unknown) =>
      answerRouterError(error, request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler: (error, socket) => answerParserError(error as NodeJS.ErrnoException, socket as Socket),
  });
}

function prepare(fastify: FastifyInstance, routes: KnownRoutes, logger: JsonLogger): void {
  fastify.addHook('onRoute', (route) => {
    routes.add(route.url, route.method);
    const limit = bodyLimitOf(route.config);
    if (limit !== DEFAULT_BODY_LIMIT) route.bodyLimit = limit.bytes;
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    nameAnswer(request, reply);
    done();
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
  fastify.server.on('connect', (_request, socket) => refuse(socket as Socket, 405));
}

function nameAnswer(request: FastifyRequest, reply: FastifyReply): void {
  void reply.header('x-request-id', request.id);
  void reply.header('x-content-type-options', 'nosniff');
  void reply.header('cache-control', 'no-store');
}

/** The router refuses before any hook or filter runs: a malformed or over-long address. */
function answerRouterError(error: { statusCode?: number }, request: FastifyRequest, reply: FastifyReply): void {
  const body = frameworkAnswer(error.statusCode ?? 400);
  nameAnswer(request, reply);
  void reply.status(body.statusCode).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

const STATUS_OF_PARSER_ERROR: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Node's parser refuses before there is a request. */
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
