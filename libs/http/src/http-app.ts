import { InvalidRequestError, Metrics, METRICS } from '@millrace/domain';
import { Inject, Module, type DynamicModule, type OnApplicationShutdown, type Type } from '@nestjs/common';
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
import type { HttpSettings } from './http-settings';
import { JsonLogger } from './logs/json-logger';
import { withinRequest } from './logs/log-context';
import { RefusalLog } from './errors/refusal-log';
import { RefusedAnswers, type CountedApart } from './errors/refused-answers';
import { KnownRoutes } from './errors/known-routes';
import { AppMetrics } from './metrics/app-metrics';
import { serveMetrics } from './metrics/metrics-route';
import { cutIdleConnections } from './requests/idle-connections';
import { takeJsonBodies, takeRawBodies } from './bodies/request-bodies';
import { closeAfterAnswer } from './bodies/unread-bodies';
import { Tracing } from './tracing/tracing';
import { VERSION } from './version/version';

// Makes the HTTP server of every app.
//
// H1. Every answer has the header `x-request-id`. Every error answer is `{statusCode, code, params}`, also those of the
//     parser and the router.
// H2. A request runs only code that a webhook needs: no interceptor, no global pipe, no log line above debug.

type AppModule = Type | DynamicModule;

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
  /** Lets each line that a request writes have its id. It costs each request some microseconds. */
  namesRequestsInLog?: boolean;
  /** What follows requests and runs over processes; null when nothing does. */
  tracing?: Tracing | null;
  countedApart?: CountedApart;
  /**
   * How long a client may read nothing of its answer before its connection is cut; 2 min by default. It may be twice as
   * long, because Node takes a write of which the kernel had room for a part as progress.
   */
  unreadAnswerMs?: number;
  /** How long a connection may have no request; by default a little longer than Node keeps one that is silent. */
  idleMs?: number;
}

const HELD_BODY_BYTES = 64 * 1024 * 1024;
const KEEP_ALIVE_MS = 72_000;
const REQUEST_DEADLINE_MS = 30_000;
/** Progress is seen in steps of the kernel's buffers, some 1.5 MB, so a slow reader needs time. */
const UNREAD_ANSWER_MS = 120_000;
const HEADERS_DEADLINE_MS = 10_000;
/** By default Node checks every 30 s, so a deadline of 10 s could become one of 40 s. */
const DEADLINES_CHECKED_EVERY_MS = 1_000;
/** A request that began just before Node would have cut its connection still has the time for its headers. */
const IDLE_MS = KEEP_ALIVE_MS + HEADERS_DEADLINE_MS + 2 * DEADLINES_CHECKED_EVERY_MS;

/** Returns the app, wired but not listening yet. Rejects when a part of the app cannot start. */
export async function createHttpApp(
  module: AppModule,
  settings: HttpSettings,
  {
    name,
    bodies = 'json',
    bodyBytes = DEFAULT_BODY_LIMIT.bytes,
    heldBodyBytes,
    nameError,
    namesRequestsInLog = false,
    tracing = null,
    countedApart,
    unreadAnswerMs = UNREAD_ANSWER_MS,
    idleMs = IDLE_MS,
  }: HttpAppOptions,
): Promise<NestFastifyApplication> {
  const logger = new JsonLogger(name, settings.SVC_LOG_LEVEL);
  const refused = new RefusedAnswers(countedApart);
  const adapter = fastifyAdapter(settings, bodyBytes, refused);
  const fastify = adapter.getInstance<FastifyInstance>();
  const routes = new KnownRoutes();
  const refusals = new RefusalLog(refused, logger);
  fastify.addHook('onClose', async () => refusals.close());
  prepare(fastify, routes, logger);
  cutUnreadAnswers(fastify, unreadAnswerMs);
  cutIdleConnections(fastify.server, idleMs, DEADLINES_CHECKED_EVERY_MS);
  if (namesRequestsInLog) nameRequestsInLog(fastify);
  const metrics = metricsOf(name, refused, logger);
  serveMetrics(fastify, { metrics, refused }, settings.SVC_METRICS_TOKEN);
  const withTelemetry = WithTelemetry.of(module, { metrics, tracing, refused });
  const nestOptions = { logger, bodyParser: false, abortOnError: false };
  const app = await NestFactory.create<NestFastifyApplication>(withTelemetry, adapter, nestOptions);
  const budget = new BodyBudget(heldBodyBytes ?? HELD_BODY_BYTES);
  if (bodies === 'raw') takeRawBodies(fastify, budget);
  else takeJsonBodies(fastify, budget);
  app.useGlobalFilters(new DomainErrorFilter(logger, routes, refused, nameError));
  return app;
}

interface Telemetry {
  metrics: Metrics;
  tracing: Tracing | null;
  refused: RefusedAnswers;
}

/** Provides Metrics, RefusedAnswers, and Tracing or null, to every module of an app. */
@Module({})
class WithTelemetry implements OnApplicationShutdown {
  constructor(@Inject(Tracing) private readonly tracing: Tracing | null) {}

  static of(module: AppModule, { metrics, tracing, refused }: Telemetry): DynamicModule {
    return {
      module: WithTelemetry,
      global: true,
      imports: [module],
      providers: [
        { provide: Metrics, useValue: metrics },
        { provide: Tracing, useValue: tracing },
        { provide: RefusedAnswers, useValue: refused },
      ],
      exports: [Metrics, Tracing, RefusedAnswers],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.tracing?.close();
  }
}

function metricsOf(app: string, refused: RefusedAnswers, logger: JsonLogger): AppMetrics {
  const metrics = new AppMetrics(logger);
  metrics.report(METRICS.buildInfo, () => [{ labels: { app, version: VERSION }, value: 1 }]);
  refused.reportTo(metrics);
  return metrics;
}

function fastifyAdapter(settings: HttpSettings, bodyLimit: number, refused: RefusedAnswers): FastifyAdapter {
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
      refused.add(answerRouterError(error, request as FastifyRequest, reply as FastifyReply)),
    clientErrorHandler: (error, socket) => {
      const code = answerParserError(error, socket);
      if (code !== null) refused.add(code);
    },
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

/**
 * Node destroys the connection itself. It ends this limit with the answer: then the one for idle connections counts. An
 * answer that has to wait for an earlier one on its connection has no socket yet, and no limit.
 */
function cutUnreadAnswers(fastify: FastifyInstance, ms: number): void {
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    reply.raw.socket?.setTimeout(ms);
    done(null, payload);
  });
}

function nameRequestsInLog(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) =>
    withinRequest(request.id, (end) => {
      reply.raw.once('close', end);
      done();
    }),
  );
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

/** The router refuses a malformed or too long address before any hook or filter runs. Returns the error code. */
function answerRouterError(error: { statusCode?: number }, request: FastifyRequest, reply: FastifyReply): string {
  const body = frameworkAnswer(error.statusCode ?? 400);
  nameAnswer(request, reply);
  closeAfterAnswer(request.raw, reply.raw);
  void reply.status(body.statusCode).type('application/json; charset=utf-8').send(JSON.stringify(body));
  return body.code;
}

const STATUS_OF_PARSER_ERROR: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Node's parser refuses malformed requests before there is a request object. Returns the error code, or null without an
 * answer.
 */
function answerParserError(error: NodeJS.ErrnoException, socket: Socket): string | null {
  if (error.code === 'ECONNRESET' || socket.destroyed) return null;
  return refuse(socket, STATUS_OF_PARSER_ERROR[error.code ?? ''] ?? 400);
}

function refuse(socket: Socket, status: number): string {
  const answer = frameworkAnswer(status);
  if (!socket.writable) {
    socket.destroy();
    return answer.code;
  }
  const body = JSON.stringify(answer);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomUUID()}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  return answer.code;
}
