import { queryOptions } from '@tanstack/react-query';
import { answerOf, GET, POST, type Schemas } from '../api/client';
import type { Pace } from './pace';

export type FailureGroup = Schemas['FailureGroup'];
export type Strategy = Schemas['RetryRuns']['strategy'];

const MOST_GROUPS = 100;
const REFRESH_MS = 10_000;
const HOUR_MS = 3_600_000;

/** How far back groups are looked for, by the value in the address. */
export const PERIODS = { '1h': HOUR_MS, '24h': 24 * HOUR_MS, '7d': 7 * 24 * HOUR_MS, '30d': 30 * 24 * HOUR_MS };
export type Period = keyof typeof PERIODS;

export const isPeriod = (value: string | null): value is Period => value !== null && Object.hasOwn(PERIODS, value);

export const failuresQuery = (projectId: string, period: Period) =>
  queryOptions({
    queryKey: ['failures', projectId, period],
    queryFn: ({ signal }) => {
      const createdAfter = new Date(Date.now() - PERIODS[period]).toISOString();
      const query = { projectId, createdAfter, limit: MOST_GROUPS };
      return answerOf(GET('/api/v1/flow-runs/failures', { params: { query }, signal }));
    },
    refetchInterval: REFRESH_MS,
  });

/** What selects the runs of a group in bulk calls. */
const selection = ({ flowId, stepName, fingerprint }: FailureGroup, projectId: string) => ({
  projectId,
  flowId,
  failedStepName: stepName,
  fingerprint,
  status: ['FAILED' as const],
});

/** Returns how many runs a retry would start. */
export async function countRetries(group: FailureGroup, projectId: string, strategy: Strategy): Promise<number> {
  const body = { ...selection(group, projectId), strategy, dryRun: true };
  return (await answerOf(POST('/api/v1/flow-runs/retry', { body }))).retried;
}

/** Begins to retry all runs of the group. */
export const retryGroup = (group: FailureGroup, projectId: string, choice: Pace & { strategy: Strategy }) =>
  answerOf(POST('/api/v1/flow-runs/retry', { body: { ...selection(group, projectId), dryRun: false, ...choice } }));

/** Returns how many runs were archived, or would be. */
export async function archiveGroup(group: FailureGroup, projectId: string, dryRun: boolean): Promise<number> {
  const body = { ...selection(group, projectId), dryRun };
  return (await answerOf(POST('/api/v1/flow-runs/archive', { body }))).archived;
}

const TRIAL_REFRESH_MS = 1_000;

/** How the run that was tried goes. */
export const trialQuery = (id: string) =>
  queryOptions({
    queryKey: ['trial', id],
    queryFn: ({ signal }) => answerOf(GET('/api/v1/flow-runs/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.finishTime ? false : TRIAL_REFRESH_MS),
  });

/** Retries the newest run of the group on the published version. Returns the new run. */
export const tryNewest = ({ lastRunId }: FailureGroup, projectId: string) =>
  answerOf(
    POST('/api/v1/flow-runs/{id}/retry', {
      params: { path: { id: lastRunId } },
      body: { projectId, strategy: 'ON_LATEST_VERSION' },
    }),
  );
