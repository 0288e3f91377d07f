import { queryOptions } from '@tanstack/react-query';
import { answerOf, GET, POST, type Schemas } from '../api/client';
import { queryClient } from '../api/queries';

export type FailedJob = Schemas['FailedJob'];

const REFRESH_MS = 2_000;
const SELDOM_MS = 10_000;
const MOST_FAILED = 50;

export const countsQuery = queryOptions({
  queryKey: ['queues', 'counts'],
  queryFn: ({ signal }) => answerOf(GET('/api/v1/admin/queue/metrics', { signal })),
  refetchInterval: REFRESH_MS,
});

export const backlogQuery = queryOptions({
  queryKey: ['queues', 'backlog'],
  queryFn: ({ signal }) => answerOf(GET('/api/v1/admin/queue/backlog', { signal })),
  refetchInterval: REFRESH_MS,
});

export const failedJobsQuery = queryOptions({
  queryKey: ['queues', 'failed'],
  queryFn: ({ signal }) =>
    answerOf(GET('/api/v1/admin/queue/failed', { params: { query: { limit: MOST_FAILED } }, signal })),
  refetchInterval: SELDOM_MS,
});

export async function retryJob(jobId: string): Promise<void> {
  await answerOf(POST('/api/v1/admin/queue/retry/{jobId}', { params: { path: { jobId } } }));
  await queryClient.invalidateQueries({ queryKey: ['queues'] });
}
