import { queryOptions } from '@tanstack/react-query';
import { answerOf, GET, POST, type Schemas } from '../api/client';
import { keptWithin } from '../api/queries';

export type WaitingRun = Schemas['FlowRun'];

const PAGE_SIZE = 50;
const REFRESH_MS = 5_000;

/** The runs that wait for a person, the newest first. */
export const approvalsQuery = (projectId: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['approvals', projectId, cursor],
    queryFn: ({ signal }) => {
      const query = { projectId, status: ['PAUSED' as const], waitingOn: 'human' as const, cursor, limit: PAGE_SIZE };
      return answerOf(GET('/api/v1/flow-runs', { params: { query }, signal }));
    },
    refetchInterval: REFRESH_MS,
    placeholderData: keptWithin(projectId),
  });

/** What the run was started with: the output of its trigger. */
export const startQuery = ({ id }: WaitingRun) =>
  queryOptions({
    queryKey: ['run', id, 'start'],
    queryFn: ({ signal }) =>
      answerOf(GET('/api/v1/flow-runs/{id}/steps/{path}', { params: { path: { id, path: 'trigger' } }, signal })),
    staleTime: Infinity,
  });

export interface Answer {
  runId: string;
  requestId: string;
  action: 'approve' | 'disapprove';
}

/** Answers what a run waits for. Throws ApiError when somebody else was faster. */
export const answerRequest = ({ runId, requestId, action }: Answer) =>
  answerOf(
    POST('/api/v1/flow-runs/{id}/requests/{requestId}', {
      params: { path: { id: runId, requestId }, query: { action } },
      body: {},
      headers: { accept: 'application/json' },
    }),
  );
