import { queryOptions } from '@tanstack/react-query';
import { answerOf, GET, POST, type Schemas } from '../api/client';
import type { FailureGroup } from './failure-queries';

export type PacedRetry = Schemas['PacedRetry'];

const MOST_SHOWN = 20;
const WHILE_RUNNING_MS = 1_000;
const OTHERWISE_MS = 10_000;
const SHOWN_AFTER_END_MS = 3_600_000;

/** The paced retries of a project that are running, or ended a short while ago. */
export const pacedRetriesQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['paced-retries', projectId],
    queryFn: async ({ signal }) => {
      const query = { projectId, limit: MOST_SHOWN };
      const { data } = await answerOf(GET('/api/v1/paced-retries', { params: { query }, signal }));
      return data.filter(isShown);
    },
    refetchInterval: ({ state }) => (state.data?.some(isRunning) ? WHILE_RUNNING_MS : OTHERWISE_MS),
  });

export const isRunning = ({ status }: PacedRetry): boolean => status === 'RUNNING';

const isShown = ({ finished }: PacedRetry): boolean =>
  finished === null || Date.now() - Date.parse(finished) < SHOWN_AFTER_END_MS;

/** Whether the paced retry is of the runs of this group. */
export const isOf = (retry: PacedRetry, { flowId, stepName, fingerprint }: FailureGroup): boolean =>
  retry.flowId === flowId && retry.failedStepName === stepName && retry.fingerprint === fingerprint;

export const cancelPacedRetry = (id: string) =>
  answerOf(POST('/api/v1/paced-retries/{id}/cancel', { params: { path: { id } } }));
