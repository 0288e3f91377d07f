import { queryOptions } from '@tanstack/react-query';
import { answerOf, GET } from '../api/client';
import type { Step } from '../flow-picture/step';
import { stepsByName } from './differences';

export interface ComparedVersions {
  flowId: string;
  /** The ids of the versions, the earlier one first. */
  from: string;
  to: string;
}

/** What differs between two versions of a flow, with the steps of both. */
export const versionDiffQuery = ({ flowId, from, to }: ComparedVersions) =>
  queryOptions({
    queryKey: ['version-diff', flowId, from, to],
    queryFn: async ({ signal }) => {
      const path = { id: flowId, from, to };
      const [diff, before, after] = await Promise.all([
        answerOf(GET('/api/v1/flows/{id}/versions/{from}/diff/{to}', { params: { path }, signal })),
        stepsOfVersion(flowId, from, signal),
        stepsOfVersion(flowId, to, signal),
      ]);
      return { diff, before, after };
    },
    gcTime: 0, // a draft changes
  });

export type Compared = Awaited<ReturnType<NonNullable<ReturnType<typeof versionDiffQuery>['queryFn']>>>;

async function stepsOfVersion(flowId: string, versionId: string, signal: AbortSignal) {
  const params = { path: { id: flowId }, query: { versionId } };
  const { version } = await answerOf(GET('/api/v1/flows/{id}', { params, signal }));
  return stepsByName(version.trigger as Step);
}
