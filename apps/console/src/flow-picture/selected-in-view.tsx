import { useReactFlow, useStore } from '@xyflow/react';
import { useEffect } from 'react';
import { CARD, type Layout } from './layout';
import { usePicture } from './picture-context';

/** Moves the canvas when a step is selected that is not seen, or no longer seen beside its settings. */
export function SelectedInView({ layout }: { layout: Layout }) {
  const { selected } = usePicture();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const { getViewport, setCenter } = useReactFlow();
  const placed = layout.steps.find(({ step }) => step.name === selected);
  const [x, y] = [placed?.x, placed?.y];
  useEffect(() => {
    if (x === undefined || y === undefined) return;
    const view = getViewport();
    const left = x * view.zoom + view.x;
    const top = y * view.zoom + view.y;
    const isSeen =
      left >= 0 && top >= 0 && left + CARD.width * view.zoom <= width && top + CARD.height * view.zoom <= height;
    if (!isSeen) void setCenter(x + CARD.width / 2, y + CARD.height / 2, { zoom: view.zoom });
  }, [x, y, width, height, getViewport, setCenter]);
  return null;
}
