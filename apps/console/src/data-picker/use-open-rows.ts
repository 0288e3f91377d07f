import { useCallback, useState } from 'react';
import type { OpenRows } from './picker-rows';

const CHILDREN_AT_ONCE = 50;

/** Which rows of the tree are open, and how much of each is shown. */
export function useOpenRows() {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [most, setMost] = useState<ReadonlyMap<string, number>>(new Map());
  const rows: OpenRows = {
    isOpen: (id) => open.has(id),
    most: (id) => most.get(id) ?? CHILDREN_AT_ONCE,
  };
  const toggle = useCallback((id: string) => {
    setOpen((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  }, []);
  const showMore = useCallback((id: string) => {
    setMost((before) => new Map(before).set(id, (before.get(id) ?? CHILDREN_AT_ONCE) + CHILDREN_AT_ONCE));
  }, []);
  return { rows, toggle, showMore };
}
