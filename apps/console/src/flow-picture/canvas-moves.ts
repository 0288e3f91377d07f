import { useReactFlow, useStoreApi } from '@xyflow/react';
import { useEffect, useMemo, useRef } from 'react';
import { boundsOf, type Layout } from './layout';
import { LEAST_ZOOM, startOf } from './opening';

/** What moves the picture, by buttons and by keys. */
export interface CanvasMoves {
  zoomIn: () => void;
  zoomOut: () => void;
  /** 100 %, around the middle of what is seen. */
  actualSize: () => void;
  /** The whole flow. */
  fit: () => void;
  /** 100 %, with the trigger at the top. */
  toTrigger: () => void;
  /** Brings a point of the picture to the middle. */
  show: (point: { x: number; y: number }) => void;
  /** The point of the picture in the middle of what is seen. */
  middle: () => { x: number; y: number };
}

export function useCanvasMoves(layout: Layout): CanvasMoves {
  const { zoomIn, zoomOut, zoomTo, fitBounds, setCenter, setViewport } = useReactFlow();
  const store = useStoreApi();
  const latest = useRef(layout);
  useEffect(() => {
    latest.current = layout;
  });
  return useMemo(
    () => ({
      zoomIn: () => void zoomIn(),
      zoomOut: () => void zoomOut(),
      actualSize: () => void zoomTo(1),
      fit: () => void fitBounds(boundsOf(latest.current), { padding: 0.05 }),
      toTrigger: () => void setViewport(startOf(store.getState().width)),
      show: ({ x, y }) => void setCenter(x, y, { zoom: Math.max(LEAST_ZOOM, store.getState().transform[2]) }),
      middle: () => {
        const { transform, width, height } = store.getState();
        const [x, y, zoom] = transform;
        return { x: Math.round((width / 2 - x) / zoom), y: Math.round((height / 2 - y) / zoom) };
      },
    }),
    [zoomIn, zoomOut, zoomTo, fitBounds, setCenter, setViewport, store],
  );
}
