import { SETTINGS } from './schema';

/** Each app has one connection beside those of its pools: the one that listens. */
const LISTENING = 1;

describe('the connections to PostgreSQL', () => {
  it('of ten gateways, twenty workers and two apis are at most 200 by default', () => {
    const gateway = SETTINGS.SVC_GATEWAY_DATABASE_CONNECTIONS.default + LISTENING;
    const worker = SETTINGS.SVC_WORKER_DATABASE_CONNECTIONS.default + LISTENING;
    const api = SETTINGS.SVC_API_DATABASE_CONNECTIONS.default + LISTENING;

    expect(10 * gateway + 20 * worker + 2 * api).toBeLessThanOrEqual(200);
  });
});
