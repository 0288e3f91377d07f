import type { Viewport } from '@xyflow/react';
import { boundsOf, type Layout } from './layout';

/** What is shown is large enough to be read. */
export const LEAST_ZOOM = 0.6;
const TOP = 32;
const SIDE = 24;

/** The trigger at the top of a canvas of this width, at 100 %. */
export const startOf = (width: number): Viewport => ({ x: width / 2, y: TOP, zoom: 1 });

/**
 * The trigger at the top, and the whole width of the flow where it can still be read; of a wider flow, what is around the
 * trigger.
 */
export function fittedTo(width: number, layout: Layout): Viewport {
  const { x, width: needed } = boundsOf(layout);
  const room = width - 2 * SIDE;
  const zoom = Math.min(1, Math.max(LEAST_ZOOM, room / needed));
  const middle = needed * zoom <= room ? x + needed / 2 : 0;
  return { x: width / 2 - middle * zoom, y: TOP, zoom };
}
