import { createContext, useContext } from 'react';
import type { CardEvents } from './step-card';

/** What the parts of a canvas share that never changes. */
export interface CanvasParts {
  cardEvents: CardEvents;
}

export const CanvasContext = createContext<CanvasParts | null>(null);

export function useCanvas(): CanvasParts {
  const canvas = useContext(CanvasContext);
  if (!canvas) throw new Error('This is a part of a canvas.');
  return canvas;
}
