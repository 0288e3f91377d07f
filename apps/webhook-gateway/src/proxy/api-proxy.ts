import proxy, { type FastifyHttpProxyOptions } from '@fastify/http-proxy';
import { askForBody, closeAfterAnswer, errorAnswer, RefusedAnswers, takeOnlyWebSockets } from '@millrace/http';
import { ServiceUnavailableError } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AnswersByTurns } from './answers-by-turns';
import { forwardedHeaders } from './forwarded-headers';
import { endToEnd } from './hop-by-hop';
import { PipelinedRequests } from './pipelined-requests';
import { WebSocketTunnels } from './web-socket-tunnels';
import type { FastifyInstance, FastifyReply, RawServerBase, RouteGenericInterface } from 'fastify';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { PassThrough, Readable } from 'node:stream';

/** A large answer that is not read keeps one of them, until its client is cut off, and some 400 KB of memory. */
const CONNECTIONS_TO_API = 512;
const logger = new Logger('ApiProxy');

/** What `@fastify/reply-from` hands over; its types say something else. */
interface ApiAnswer {
  stream: Readable;
  headers: IncomingHttpHeaders;
}

/**
 * Passes all requests that the gateway does not serve itself to the api, with their bodies as streams, and WebSockets.
 * While the api is not available the answer is the usual 503, and webhooks are still accepted.
 */
export async function passToApi(
  app: NestFastifyApplication,
  apiUrl: string,
  proxies: readonly string[],
): Promise<void> {
  const toApi = forwardedHeaders(proxies);
  const fastify = app.getHttpAdapter().getInstance();
  const refused = app.get(RefusedAnswers);
  const refuse = countedBy(refused);
  const pipelined = new PipelinedRequests(fastify.server);
  const answers = answersByTurnsOf(fastify.server);
  await fastify.register(async (scope) => {
    scope.removeAllContentTypeParsers(); // the api reads its own bodies
    // Nest's error filter does not see errors in this scope, for example an address that cannot be passed on.
    scope.setErrorHandler((error, _request, reply) => refuse(reply, error));
    scope.addHook('onRequest', pipelined.onRequest);
    await scope.register(proxy, {
      upstream: apiUrl,
      preHandler: passBodyOn,
      undici: { connections: CONNECTIONS_TO_API },
      replyOptions: {
        retryDelay: neverRepeat,
        rewriteRequestHeaders: ({ raw }, headers) => toApi(raw as IncomingMessage, headers),
        rewriteHeaders: (headers) => endToEnd(headers),
        onResponse: (request, reply, answer) => {
          closeAfterAnswer(request.raw as IncomingMessage, reply.raw as ServerResponse);
          const { stream, headers } = answer as unknown as ApiAnswer;
          void reply.send(answers.pace(stream, Number(headers['content-length'] ?? Infinity)));
        },
        onError: (reply, { error }) => {
          refuse(reply, notAvailable(error));
        },
      },
    });
  });
  passWebSocketsBy(new WebSocketTunnels(apiUrl, toApi, refused), fastify);
}

function passWebSocketsBy(tunnels: WebSocketTunnels, fastify: FastifyInstance): void {
  fastify.addHook('preClose', async () => tunnels.close());
  takeOnlyWebSockets(
    fastify.server,
    (request, socket, head) => tunnels.take(request, socket, head),
    (address) => !namesMetrics(address),
  );
}

/**
 * The client decides when it asks again. `@fastify/reply-from` would repeat a GET that the api answers with 503 ten
 * times, so that a read hangs for ten time limits while the database does not answer.
 */
const neverRepeat = (): null => null;

function answersByTurnsOf(server: Server): AnswersByTurns {
  const answers = new AnswersByTurns();
  server.on('connection', () => answers.accepted());
  return answers;
}

const passBodyOn: FastifyHttpProxyOptions['preHandler'] = (request, reply, done) => {
  if (request.body instanceof Readable) {
    askForBody(request.raw, reply.raw);
    request.body = passedOn(request.raw);
  }
  done();
};

/**
 * Whether the api could read this address as that of its metrics, which nobody reads through the gateway. Such a request
 * is answered like one without an upgrade, by the gateway itself.
 */
function namesMetrics(address: string): boolean {
  const [path = ''] = address.replace(/^\w+:\/\/[^/]*/, '').split(/[?#;]/, 1);
  try {
    return /^\/+metrics\/*$/i.test(decodeURIComponent(path));
  } catch {
    return true;
  }
}

const notAvailable = (cause: Error): ServiceUnavailableError =>
  new ServiceUnavailableError('The api is starting or not available; try again later.', 2, { cause });

/** Returns a function that answers with an error, and counts it for the metrics and the log. */
const countedBy =
  (refused: RefusedAnswers) =>
  <Server extends RawServerBase>(reply: Reply<Server>, error: unknown): void =>
    refused.add(sendError(reply, error));

/**
 * Returns the body as a stream for the api. When the api answers without reading it to its end, the rest is discarded,
 * and the client's connection stays open until the answer is read.
 */
function passedOn(request: IncomingMessage): PassThrough {
  const body = new PassThrough();
  request.pipe(body);
  request.once('error', (error) => body.destroy(error));
  body.once('close', () => {
    request.unpipe(body);
    request.resume();
  });
  return body;
}

type Reply<Server extends RawServerBase> = FastifyReply<RouteGenericInterface, Server>;

/** Returns the code of the answer. */
function sendError<Server extends RawServerBase>(reply: Reply<Server>, error: unknown): string {
  const { body, headers, isBug } = errorAnswer(error, reply.request.id);
  closeAfterAnswer(reply.request.raw as IncomingMessage, reply.raw as unknown as ServerResponse);
  if (isBug) logger.error({ msg: 'A request could not be passed to the api.', requestId: reply.request.id }, error);
  void reply.status(body.statusCode).headers(headers).type('application/json; charset=utf-8').send(body);
  return body.code;
}
