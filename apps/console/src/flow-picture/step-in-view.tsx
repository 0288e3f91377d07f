import { useReactFlow, useStore } from '@xyflow/react';
import { useEffect } from 'react';
import { CARD, type Layout } from './layout';
import { usePicture } from './picture-context';
import { stepOfRow } from './picture-state';

/**
 * Moves the canvas when a step is selected that is not seen, or no longer seen beside its settings, and when the focus
 * shall go to a step. A card that is not seen is not there: it takes the focus once it is.
 */
export function StepInView({ layout }: { layout: Layout }) {
  const { selected, state } = usePicture();
  const { wish } = state;
  useStepInView(layout, selected, null);
  useStepInView(layout, wish && stepOfRow(wish.id), wish);
  return null;
}

/** `reason` is another object when the same step shall be shown again. */
function useStepInView(layout: Layout, name: string | null, reason: object | null): void {
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const { getViewport, setViewport } = useReactFlow();
  const placed = layout.steps.find(({ step }) => step.name === name);
  const [x, y] = [placed?.x, placed?.y];
  useEffect(() => {
    if (x === undefined || y === undefined || width === 0) return; // the canvas is not measured yet
    const view = getViewport();
    const moved = {
      zoom: view.zoom,
      x: inView(view.x, x * view.zoom, CARD.width * view.zoom, width),
      y: inView(view.y, y * view.zoom, CARD.height * view.zoom, height),
    };
    if (moved.x !== view.x || moved.y !== view.y) void setViewport(moved);
  }, [x, y, width, height, reason, getViewport, setViewport]);
}

/** Where the picture begins so that a part of it is seen: where it did, or so that the part is in the middle. */
function inView(offset: number, start: number, length: number, room: number): number {
  const isSeen = offset + start >= 0 && offset + start + length <= room;
  return isSeen ? offset : (room - length) / 2 - start;
}
