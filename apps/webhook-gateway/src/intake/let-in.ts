import { ServiceUnavailableError } from '@millrace/domain';
import { RefusedAnswers, refuseUnread } from '@millrace/http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { Arrivals } from './arrivals';
import { PublishedFlows } from './published-flows';
import { WebhooksUnderWay } from './webhooks-under-way';

const RETRY_AFTER_SECONDS = 2;
const TOO_MANY = new ServiceUnavailableError(
  'More webhooks arrive than can be stored; try again later.',
  RETRY_AFTER_SECONDS,
);
/** Flows that are not in the cache share a queue: their projects are not known yet. */
const UNKNOWN = '';

/** Lets webhooks of these routes in by the rules of Arrivals, before their bodies are read. */
export function letInByTurns(app: NestFastifyApplication, routes: ReadonlySet<string>): void {
  const underWay = app.get(WebhooksUnderWay, { strict: false });
  const arrivals = new Arrivals((projectId) => underWay.hasRoom(projectId));
  const flows = app.get(PublishedFlows, { strict: false });
  const refused = app.get(RefusedAnswers, { strict: false });
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', (request: FastifyRequest<{ Params: { flowId?: string } }>, reply, done) => {
    const { url } = request.routeOptions;
    if (url === undefined || !routes.has(url)) return done();
    arrivals.add(flows.projectOf(request.params.flowId ?? '') ?? UNKNOWN, {
      take: done,
      refuse: () => refuseUnread(reply, TOO_MANY, refused),
    });
  });
}
