import { queryOptions } from '@tanstack/react-query';
import { answerOf, POST } from '../api/client';
import { bulkBody, type BulkAction, type Selection } from './bulk-selection';

export type Strategy = 'FROM_FAILED_STEP' | 'ON_LATEST_VERSION';

export interface BulkCall {
  projectId: string;
  action: BulkAction;
  selection: Selection;
  /** How runs are retried. */
  strategy: Strategy;
}

/** How many runs the call would change now. */
export const bulkPlanQuery = (call: BulkCall) =>
  queryOptions({
    queryKey: ['runs', 'plan', call],
    queryFn: () => bulkCall(call, true),
    gcTime: 0,
    staleTime: Infinity, // the number that a person agrees to does not change under their hand
    refetchOnWindowFocus: false,
  });

/** Does it, and returns how many runs it changed. */
export const actOnRuns = (call: BulkCall): Promise<number> => bulkCall(call, false);

async function bulkCall({ projectId, action, selection, strategy }: BulkCall, dryRun: boolean): Promise<number> {
  switch (action) {
    case 'retry': {
      const body = bulkBody(action, selection);
      if (!body) return 0;
      const answer = POST('/api/v1/flow-runs/retry', { body: { ...body, projectId, strategy, dryRun } });
      return (await answerOf(answer)).retried;
    }
    case 'cancel': {
      const body = bulkBody(action, selection);
      if (!body) return 0;
      return (await answerOf(POST('/api/v1/flow-runs/cancel', { body: { ...body, projectId, dryRun } }))).cancelled;
    }
    case 'archive': {
      const body = bulkBody(action, selection);
      if (!body) return 0;
      return (await answerOf(POST('/api/v1/flow-runs/archive', { body: { ...body, projectId, dryRun } }))).archived;
    }
  }
}
