import { InvalidRequestError } from '@millrace/domain';
import { errorAnswer, RefusedAnswers, refuseWebSocket, takeOnlyWebSockets, trustedProxies } from '@millrace/http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiSettings } from '../settings/config';
import { LIVE_PATH, type LiveSocketServer } from './live-messages';
import { LiveServer } from './live-server';
import { PageOrigins } from './page-origins';

export type LiveSettings = Pick<ApiSettings, 'SVC_API_CORS_ORIGINS' | 'SVC_PUBLIC_URL' | 'SVC_TRUSTED_PROXIES'>;

/**
 * Serves live updates at their path, over WebSocket and over polling. Requests that are not of socket.io get the usual
 * error answers, which engine.io does not know.
 */
export function serveLiveUpdates(app: NestFastifyApplication, settings: LiveSettings): void {
  const { clientOf } = trustedProxies(settings.SVC_TRUSTED_PROXIES);
  const live = app.get(LiveServer);
  const refused = app.get(RefusedAnswers);
  const origins = new PageOrigins(settings.SVC_PUBLIC_URL, settings.SVC_API_CORS_ORIGINS);
  const fastify = app.getHttpAdapter().getInstance();
  for (const url of [LIVE_PATH, `${LIVE_PATH}/`])
    fastify.route({
      method: ['GET', 'POST'],
      url,
      // The engine reads the body itself, so the request is handed over before Fastify would read it.
      onRequest: async (request, reply) => {
        try {
          await poll(live, origins, request, reply);
        } catch (error) {
          const { body, headers } = errorAnswer(error, request.id);
          refused.add(body.code);
          await reply.status(body.statusCode).headers(headers).send(body);
        }
      },
      handler: () => undefined,
    });
  takeOnlyWebSockets(
    fastify.server,
    (request, socket, head) => {
      live
        .opened()
        .then((server) => {
          origins.assertAllowed(request.headers);
          if (isNew(server, { url: request.url ?? '', method: 'GET', isUpgrade: true }))
            live.admit(request, clientOf(request));
          server.engine.handleUpgrade(request, socket, head);
        })
        .catch((error: unknown) => refuseWebSocket(socket, error, refused));
    },
    (address) => [LIVE_PATH, `${LIVE_PATH}/`].includes(address.split('?', 1)[0] ?? ''),
  );
  fastify.addHook('preClose', () => live.close());
}

/** Passes a request of polling to the engine. Rejects for a request that the engine would not understand. */
async function poll(
  live: LiveServer,
  origins: PageOrigins,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { raw, method } = request;
  origins.assertAllowed(raw.headers);
  const server = await live.opened();
  if (isNew(server, { url: raw.url ?? '', method, isUpgrade: false })) live.admit(raw, request.ip);
  reply.hijack();
  // The engine does not know the headers that every answer has, and those that let pages of listed origins read it.
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  server.engine.handleRequest(raw, reply.raw);
}

interface EngineRequest {
  url: string;
  method: string;
  isUpgrade: boolean;
}

/** Whether the request begins a connection. Throws what a client gets that does not speak socket.io. */
function isNew(server: LiveSocketServer, { url, method, isUpgrade }: EngineRequest): boolean {
  const query = new URL(url, 'http://localhost').searchParams;
  const [transport, sid] = [query.get('transport') ?? '', query.get('sid')];
  if (query.get('EIO') !== '4') throw refusal('/EIO', 'must be 4: connect with a client of socket.io 3 or 4.');
  if (!TRANSPORTS.includes(transport)) throw refusal('/transport', 'must be "websocket" or "polling".');
  if ((transport === 'websocket') !== isUpgrade)
    throw refusal('/transport', isUpgrade ? 'must be "websocket" here.' : 'must be "polling" in a plain request.');
  if (sid === null && method !== 'GET') throw refusal('/sid', 'is required, except to connect by GET.');
  if (sid === null) return true;
  const { clients } = server.engine as unknown as { clients: Record<string, { transport: { name: string } }> };
  const client = Object.hasOwn(clients, sid) ? clients[sid] : undefined;
  if (!client || (!isUpgrade && client.transport.name !== transport))
    throw refusal('/sid', 'names no connection of this process with this transport.');
  return false;
}

const TRANSPORTS = ['websocket', 'polling'];

const refusal = (path: string, message: string): InvalidRequestError => new InvalidRequestError([{ path, message }]);
