import { queryOptions } from '@tanstack/react-query';
import { isPassing } from '../../api/api-error';
import { answerOf, GET, type Schemas } from '../../api/client';
import { isUnfinished } from '../../run-status/run-words';

export type RunDiff = Schemas['RunDiff'];
export type StepDifference = Schemas['StepDifference'];
export type FieldDifference = Schemas['FieldDifference'];

const UNFINISHED_MS = 3_000;

/** What differs between two runs. It is asked for again while one of them goes on. */
export const runDiffQuery = (id: string, otherId: string) =>
  queryOptions({
    queryKey: ['run-diff', id, otherId],
    queryFn: ({ signal }) =>
      answerOf(GET('/api/v1/flow-runs/{id}/diff/{otherId}', { params: { path: { id, otherId } }, signal })),
    refetchInterval: ({ state: { data, error } }) =>
      (data?.runs.some(isUnfinished) || isPassing(error)) && UNFINISHED_MS,
  });
