import { patience, type ServiceClient } from '@millrace/e2e-support';
import type { MalformedCase } from './case-file';
import { rawExchange } from './exchange';
import { fill } from './rendered-request';
import type { World } from './world';

// Hundreds of clients at once send a byte every few seconds. The service cuts each off when its time is up, and serves
// all others meanwhile.

const CONNECTIONS = 500;
const BYTE_EVERY_MS = 5_000;
/** The service's time limits for headers and for a whole request, and how late it may be on a busy machine. */
const NOTICED_WITHIN_MS = 10_000 * patience;
const HEADERS_END_MS = 10_000 + NOTICED_WITHIN_MS;
const REQUEST_END_MS = 30_000 + NOTICED_WITHIN_MS;
const PATIENCE_MS = 40_000 + NOTICED_WITHIN_MS;
const SERVED_WITHIN_MS = 200 * patience;
const QUESTIONS = 20;

export async function sendSlowly(one: MalformedCase, world: World): Promise<string[]> {
  const path = `/api/v1/webhooks/${world.quietFlowId}`;
  switch (one.id) {
    case 'size-slow-headers':
      return manySlowly(one, world, [...`POST ${path} HTTP/1.1\r\nHost: x\r\nX-Slow: `], HEADERS_END_MS);
    case 'size-slow-body':
      return manySlowly(
        one,
        world,
        [`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n`],
        REQUEST_END_MS,
      );
    default:
      return manySlowly(one, world, [fill(one.rawRequest ?? '', quiet(world))], REQUEST_END_MS, {
        count: 1,
        everyMs: 0,
      });
  }
}

/** Uses a flow of its own for these cases, to show that none of their requests starts a run. */
export const quiet = ({ values, quietFlowId }: World): Map<string, string> =>
  new Map([...values, ['webhook_flow_id', quietFlowId]]);

async function manySlowly(
  one: MalformedCase,
  world: World,
  pieces: readonly string[],
  endMs: number,
  { count, everyMs } = { count: CONNECTIONS, everyMs: BYTE_EVERY_MS },
): Promise<string[]> {
  const waiting = Array.from({ length: count }, () =>
    rawExchange(world.baseUrl, pieces, { everyMs, patienceMs: PATIENCE_MS }),
  );
  const problems = count > 1 ? await othersAreServed(world.owner, world.values.get('project_id') ?? '') : [];
  for (const ended of await Promise.allSettled(waiting)) {
    if (ended.status === 'rejected') problems.push((ended.reason as Error).message);
    else if (!one.expect.status.includes(ended.value.status))
      problems.push(`expected status ${one.expect.status.join(' or ')}, got ${ended.value.status}`);
    else if (ended.value.ms > endMs)
      problems.push(`ended after ${Math.round(ended.value.ms / 1_000)} s, not within ${endMs / 1_000} s`);
  }
  return [...new Set(problems)];
}

/**
 * Checks that other clients are served. One quick answer of several proves it, because a single one may be late on a
 * busy machine.
 */
async function othersAreServed(client: ServiceClient, projectId: string): Promise<string[]> {
  let quickest = Infinity;
  for (let asked = 0; asked < QUESTIONS && quickest >= SERVED_WITHIN_MS; asked++) {
    const started = performance.now();
    const { status } = await client.request('GET', `/flow-runs?projectId=${projectId}&limit=1`);
    if (status !== 200) return [`a client beside them got ${status}`];
    quickest = Math.min(quickest, performance.now() - started);
  }
  return quickest < SERVED_WITHIN_MS ? [] : [`a client beside them got no answer before ${Math.round(quickest)} ms`];
}
