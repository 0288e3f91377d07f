import { newId } from '@millrace/persistence';
import { isId, type BulkRuns, type FlowRunFilter } from '@millrace/domain';

const BATCH = 1_000;

/**
 * Acts on all runs that match now, oldest first, batch by batch, and answers the sum of what `act` answers. Each batch is its
 * own: one that throws leaves the effect of those before it.
 */
export async function actInBatches(
  bulk: Pick<BulkRuns, 'find'>,
  filter: FlowRunFilter,
  act: (runIds: readonly string[]) => Promise<number>,
): Promise<number> {
  if (matchesNothing(filter)) return 0;
  // What is accepted from now on matches too, and would keep this going for as long as runs come in.
  const firstNewId = newId();
  let acted = 0;
  let afterId: string | null = null;
  for (;;) {
    const found: string[] = await bulk.find(filter, afterId, BATCH);
    const runIds = found.filter((runId) => runId < firstNewId);
    if (runIds.length > 0) acted += await act(runIds);
    if (runIds.length < BATCH) return acted;
    afterId = runIds.at(-1) ?? null;
  }
}

/** No run is named, or the flow cannot exist. */
export const matchesNothing = ({ flowRunIds, flowId }: FlowRunFilter): boolean =>
  flowRunIds?.length === 0 || (flowId !== undefined && !isId(flowId));
