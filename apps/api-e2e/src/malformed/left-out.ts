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
    reason: 'there are no roles below the project’s key',
    cases: [
      'role-viewer-create',
      'role-viewer-publish',
      'role-viewer-delete',
      'role-viewer-run',
      'role-viewer-retry',
      'role-viewer-cancel',
      'role-viewer-archive',
      'role-viewer-metrics',
      'role-viewer-jobretry',
    ],
    stillMissing: async ({ admin, values }) => {
      const body = { displayName: 'Viewer', projectId: values.get('project_id'), role: 'VIEWER' };
      return (await admin.request('POST', '/api-keys', body)).status === 400;
    },
  },
  {
    reason: 'signing in gives no refresh token',
    cases: ['jwt-refresh-as-access'],
    stillMissing: ({ admin }) => hasNoRoute(admin, 'POST', '/authentication/refresh'),
  },
  {
    reason: 'the queue has no administration',
    cases: ['role-owner-metrics', 'role-owner-jobretry', 'adm-job-notfailed'],
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
