import { useState } from 'react';
import type { FlowSummary } from './flow-queries';

type Chosen = ReadonlyMap<string, FlowSummary>;

const NOTHING: Chosen = new Map();

/** The flows that are selected. They stay so from page to page, as long as `of` is the same: the filters of the list. */
export function useSelection(of: string) {
  const [kept, setKept] = useState<{ of: string; chosen: Chosen }>({ of, chosen: NOTHING });
  const chosen = kept.of === of ? kept.chosen : NOTHING;
  const select = (flows: readonly FlowSummary[], isSelected: boolean) => {
    const next = new Map(chosen);
    for (const flow of flows)
      if (isSelected) next.set(flow.id, flow);
      else next.delete(flow.id);
    setKept({ of, chosen: next });
  };
  return {
    flows: [...chosen.values()],
    isSelected: ({ id }: FlowSummary) => chosen.has(id),
    select,
    unselect: () => setKept({ of, chosen: NOTHING }),
  };
}
