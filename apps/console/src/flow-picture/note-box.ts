import { CARD } from './layout';
import type { PictureNote } from './picture-context';

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const NOTE_SIZE = { width: 240, height: 120 };
export const LEAST_NOTE = { width: 120, height: 60 };
const GAP = 24;

/** Where a note lies. A note that says nothing of it lies beside the trigger, below those before it. */
export function noteBox({ position, size }: PictureNote, index: number): Box {
  const { width, height } = size ?? NOTE_SIZE;
  const x = position?.x ?? CARD.width / 2 + GAP;
  const y = position?.y ?? index * (NOTE_SIZE.height + GAP);
  return { x, y, width: Math.max(width, LEAST_NOTE.width), height: Math.max(height, LEAST_NOTE.height) };
}

export const NOTE_COLORS = ['yellow', 'green', 'blue', 'red', 'gray'] as const;
export type NoteColor = (typeof NOTE_COLORS)[number];

/** The colour of a note as far as it is one of ours. Other editors have others. */
export const colorOf = ({ color }: PictureNote): NoteColor =>
  NOTE_COLORS.find((each) => each === color?.toLowerCase()) ?? 'yellow';
