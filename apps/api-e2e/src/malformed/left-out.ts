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
    reason: 'the queue’s dashboard is not switched on here (queue-board.e2e-spec.ts sends it where it is)',
    cases: ['adm-board-bad'],
    stillMissing: async ({ baseUrl }) => (await fetch(`${baseUrl}/admin/queues`)).status === 404,
  },
];
