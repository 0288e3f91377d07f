import { useState } from 'react';
import { useSearchParams } from 'react-router';
import type { Run } from '../run-status/run-words';
import type { Selection } from './bulk-selection';
import { filtersOf } from './run-filters';

/** The runs that are selected. They stay so from page to page, until the filters change. */
export function useSelection() {
  const [search] = useSearchParams();
  const of = withoutCursor(search);
  const [kept, setKept] = useState<{ of: string; selection: Selection }>({ of, selection: NOTHING });
  const selection = kept.of === of ? kept.selection : NOTHING;
  const set = (next: Selection) => setKept({ of, selection: next });
  const chosen = selection.kind === 'chosen' ? selection.ids : [];
  const select = (runs: readonly Run[], selected: boolean) => {
    const others = chosen.filter((id) => !runs.some((run) => run.id === id));
    set({ kind: 'chosen', ids: selected ? [...others, ...runs.map(({ id }) => id)] : others });
  };
  return {
    selection,
    isSelected: ({ id }: Run) => selection.kind === 'matching' || chosen.includes(id),
    isEmpty: selection.kind === 'chosen' && chosen.length === 0,
    select,
    selectMatching: () => set({ kind: 'matching', filters: filtersOf(search), until: new Date().toISOString() }),
    unselect: () => set(NOTHING),
  };
}

const NOTHING: Selection = { kind: 'chosen', ids: [] };

function withoutCursor(search: URLSearchParams): string {
  const filters = new URLSearchParams(search);
  filters.delete('cursor');
  return filters.toString();
}
