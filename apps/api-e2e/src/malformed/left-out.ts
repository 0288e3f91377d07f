import type { ServiceClient } from '@millrace/e2e-support';
import type { World } from './world';

/** Cases that need a feature the service does not have yet, or a request that a client cannot make. */
export interface LeftOut {
  reason: string;
  cases: readonly string[];
  /** Returns false as soon as the service has the feature; the cases then have to run. */
  stillMissing(world: World): Promise<boolean>;
}

export const LEFT_OUT: readonly LeftOut[] = [
  {
    reason: 'the queue has no administration',
    cases: [
      'role-viewer-metrics',
      'role-viewer-jobretry',
      'role-owner-metrics',
      'role-owner-jobretry',
      'adm-job-notfailed',
    ],
    stillMissing: ({ admin }) => hasNoRoute(admin, 'GET', '/admin/queue/metrics'),
  },
  {
    reason: 'the queue’s dashboard is not switched on',
    cases: ['adm-board-bad'],
    stillMissing: async ({ baseUrl }) => (await fetch(`${baseUrl}/admin/queues`)).status === 404,
  },
];

/** Says whether no route exists. An address with other methods only counts as none. */
async function hasNoRoute(client: ServiceClient, method: string, path: string): Promise<boolean> {
  const { body } = await client.request<{ code?: string } | null>(method, path, method === 'POST' ? {} : undefined);
  return ['ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED'].includes(body?.code ?? '');
}
