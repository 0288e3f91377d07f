import { createContext, useContext } from 'react';
import type { Tone } from '../controls/status';
import type { Place } from './step';

/** What is said of a step besides what it is, such as how it ended. */
export interface Mark {
  tone: Tone;
  word: string;
}

/** By which a branch of a router is known. */
export const branchKey = (router: string, branchIndex: number): string => `${router}/${branchIndex}`;

export interface Picture {
  /** The name of the selected step. */
  selected: string | null;
  onSelect: (name: string) => void;
  /** By the name of the step. */
  marks?: ReadonlyMap<string, Mark>;
  /** What a run took, by branch: see `branchKey`. */
  branches?: ReadonlyMap<string, Mark>;
  /** Undefined where the flow cannot be changed. */
  onAdd?: (place: Place, after: string) => void;
}

export const PictureContext = createContext<Picture>({ selected: null, onSelect: () => undefined });

export const usePicture = (): Picture => useContext(PictureContext);
