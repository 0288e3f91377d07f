import { createContext, useContext, type ComponentType, type Ref } from 'react';
import type { Tone } from '../controls/status';
import type { PictureState } from './picture-state';
import type { Place, Step } from './step';

/** What is said of a step besides what it is, such as how it ended. */
export interface Mark {
  tone: Tone;
  word: string;
}

/** By which a branch of a router is known. */
export const branchKey = (router: string, branchIndex: number): string => `${router}/${branchIndex}`;

/** What a menu was asked for. */
export type MenuTarget =
  | { kind: 'step'; name: string }
  /** A line on which a step can be put. */
  | { kind: 'place'; place: Place; after: string }
  /** The empty canvas, at this point of the picture. */
  | { kind: 'canvas'; x: number; y: number };

/** A point of the window. */
export interface WindowPoint {
  x: number;
  y: number;
}

/** A remark on the canvas. */
export interface PictureNote {
  id: string;
  content: string;
  color?: string;
  position?: { x: number; y: number };
  size?: { width: number; height: number };
}

export interface Picture {
  trigger: Step;
  /** The name of the step whose settings are open. */
  selected: string | null;
  /** `isByKey` says that the person uses the keyboard, so that the focus follows. */
  onSelect: (name: string, isByKey?: boolean) => void;
  /** By the name of the step. */
  marks?: ReadonlyMap<string, Mark>;
  /** What a run took, by branch: see `branchKey`. */
  branches?: ReadonlyMap<string, Mark>;
  /** Undefined where the flow cannot be changed, as the following. */
  onAdd?: (place: Place, after: string) => void;
  onMove?: (name: string, place: Place) => void;
  onMenu?: (target: MenuTarget, point: WindowPoint) => void;
  notes?: readonly PictureNote[];
  /** Changes a note; null deletes it. */
  onNote?: (id: string, changes: Partial<PictureNote> | null) => void;
  /** What is in a note; without it, its text. */
  NoteBody?: ComponentType<{ note: PictureNote; ref: Ref<HTMLTextAreaElement> }>;
}

/** The picture with what a person looks at in it. */
export type ShownPicture = Picture & { state: PictureState };

export const PictureContext = createContext<ShownPicture | null>(null);

export function usePicture(): ShownPicture {
  const picture = useContext(PictureContext);
  if (!picture) throw new Error('This is a part of a picture.');
  return picture;
}
