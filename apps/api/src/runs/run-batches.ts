import { newId } from '@millrace/persistence';
import { isId, type BulkRuns, type FlowRunFilter } from '@millrace/domain';

const BATCH = 1_000;

/**
 * Acts on all runs that match now, oldest first, in batches. Returns the sum of the results of `act`. Each batch takes
 * effect by itself: an error leaves the effects of earlier batches.
 */
export async function actInBatches(
  bulk: Pick<BulkRuns, 'find'>,
  filter: FlowRunFilter,
  act: (runIds: readonly string[]) => Promise<number>,
): Promise<number> {
  if (matchesNothing(filter)) return 0;
  // Runs that are accepted later match too, and would keep this loop running for as long as runs arrive. Named runs are
  // all meant, also those whose ids come from a clock that is ahead.
  const firstNewId = newId();
  const named = new Set(filter.flowRunIds);
  let acted = 0;
  let afterId: string | null = null;
  for (;;) {
    const found: string[] = await bulk.find(filter, afterId, BATCH);
    const runIds = found.filter((runId) => runId < firstNewId || named.has(runId));
    if (runIds.length > 0) acted += await act(runIds);
    if (runIds.length < BATCH) return acted;
    afterId = runIds.at(-1) ?? null;
  }
}

/** Says whether the filter selects nothing: its list of runs is empty, or its flow id cannot exist. */
export const matchesNothing = ({ flowRunIds, flowId }: FlowRunFilter): boolean =>
  flowRunIds?.length === 0 || (flowId !== undefined && !isId(flowId));
