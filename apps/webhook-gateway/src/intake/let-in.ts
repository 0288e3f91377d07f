import { ServiceUnavailableError } from '@millrace/domain';
import { RefusedAnswers, refuseUnread } from '@millrace/http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { Arrivals } from './arrivals';
import { PublishedFlows } from './published-flows';
import { UNKNOWN_FLOWS, WebhooksUnderWay } from './webhooks-under-way';

const RETRY_AFTER_SECONDS = 2;
const TOO_MANY = new ServiceUnavailableError(
  'More webhooks arrive than can be stored; try again later.',
  RETRY_AFTER_SECONDS,
);
/** What Node reads of a body that nobody asks for. */
const UNREAD_BYTES = 64 * 1024;

/** Lets webhooks of these routes in by the rules of Arrivals, before their bodies are read. */
export function letInByTurns(app: NestFastifyApplication, routes: ReadonlySet<string>): void {
  const underWay = app.get(WebhooksUnderWay, { strict: false });
  const arrivals = new Arrivals((queue) => underWay.hasRoom(isOfUnknown(queue) ? UNKNOWN_FLOWS : queue));
  const flows = app.get(PublishedFlows, { strict: false });
  const refused = app.get(RefusedAnswers, { strict: false });
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', (request: FastifyRequest<{ Params: { flowId?: string } }>, reply, done) => {
    const { url } = request.routeOptions;
    if (url === undefined || !routes.has(url)) return done();
    const { flowId = '' } = request.params;
    // A request whose sender has gone would never end, and keep what it holds.
    const unlessGone = (then: () => void) => () => {
      if (!request.raw.socket.destroyed) then();
    };
    arrivals.add(flows.projectOf(flowId) ?? queueOfUnknown(flowId), {
      bytes: unreadBytes(request.raw.headers),
      take: unlessGone(done),
      refuse: unlessGone(() => refuseUnread(reply, TOO_MANY, refused)),
    });
  });
}

/** Flows that were not found yet share some queues, so that a flood at one of them meets few others. */
const queueOfUnknown = (flowId: string): string => `${UNKNOWN_FLOWS} ${flowId.slice(-2).toLowerCase()}`;
const isOfUnknown = (queue: string): boolean => queue.startsWith(UNKNOWN_FLOWS);

const unreadBytes = (headers: IncomingHttpHeaders): number =>
  headers['transfer-encoding'] === undefined
    ? Math.min(Number(headers['content-length'] ?? 0), UNREAD_BYTES)
    : UNREAD_BYTES;
