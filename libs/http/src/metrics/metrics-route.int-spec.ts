import { METRICS } from '@millrace/domain';
import { fastify, type FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import type { ErrorBody } from '../errors/error-answer';
import { RefusedAnswers } from '../errors/refused-answers';
import { AppMetrics } from './app-metrics';
import { serveMetrics } from './metrics-route';

const TOKEN = 'f3a1c5e79b2d4860a1c5e79b2d4860f3';

describe('/metrics', () => {
  let withToken: FastifyInstance;
  let withoutToken: FastifyInstance;
  const refused = new RefusedAnswers();

  beforeAll(async () => {
    withToken = await started(TOKEN);
    withoutToken = await started(undefined);
  });
  afterAll(() => Promise.all([withToken.close(), withoutToken.close()]));

  async function started(token: string | undefined): Promise<FastifyInstance> {
    const metrics = new AppMetrics();
    metrics.report(METRICS.leader, () => 1);
    const app = fastify();
    serveMetrics(app, { metrics, refused }, token);
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app;
  }

  function asked(app: FastifyInstance, authorization?: string): Promise<Response> {
    const { port } = app.server.address() as AddressInfo;
    return fetch(`http://127.0.0.1:${port}/metrics`, authorization ? { headers: { authorization } } : {});
  }

  it.each([`Bearer ${TOKEN}`, `bearer ${TOKEN}`])('shows the metrics to %s', async (authorization) => {
    const answer = await asked(withToken, authorization);

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await answer.text()).toContain('\nmillrace_leader 1\n');
  });

  it.each([
    [undefined, 'AUTHENTICATION'],
    [TOKEN, 'AUTHENTICATION'],
    [`Basic ${TOKEN}`, 'AUTHENTICATION'],
    ['Bearer guessed', 'INVALID_BEARER_TOKEN'],
    [`Bearer ${TOKEN}0`, 'INVALID_BEARER_TOKEN'],
  ])('answers 401 to %s, and says which token it wants', async (authorization, code) => {
    const answer = await asked(withToken, authorization);

    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    const body = (await answer.json()) as ErrorBody;
    expect(body).toMatchObject({ statusCode: 401, code });
    expect(body.params.message).toContain(
      'send the value of SVC_METRICS_TOKEN of this process as "Authorization: Bearer',
    );
  });

  it('counts those it refuses', async () => {
    const count = () => new Map(refused.entries()).get('INVALID_BEARER_TOKEN') ?? 0;
    const before = count();

    await asked(withToken, 'Bearer guessed');

    expect(count()).toBe(before + 1);
  });

  it.each([undefined, `Bearer ${TOKEN}`, 'Bearer undefined'])(
    'is not there without a token of its own (%s)',
    async (authorization) => {
      const answer = await asked(withoutToken, authorization);

      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: 'ROUTE_NOT_FOUND' });
    },
  );
});
