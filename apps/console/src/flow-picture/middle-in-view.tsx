import { useReactFlow, useStore } from '@xyflow/react';
import { useEffect, useRef } from 'react';

/** Keeps in the middle what was there when the canvas gets another width, as when a panel opens beside it. */
export function MiddleInView() {
  const width = useStore((state) => state.width);
  const { getViewport, setViewport } = useReactFlow();
  const before = useRef(width);
  useEffect(() => {
    const widerBy = before.current === 0 ? 0 : width - before.current;
    before.current = width;
    if (widerBy === 0 || width === 0) return;
    const view = getViewport();
    void setViewport({ ...view, x: view.x + widerBy / 2 });
  }, [width, getViewport, setViewport]);
  return null;
}
