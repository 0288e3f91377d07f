export const MAX_NOTES_PER_VERSION = 500;
export const MAX_NOTE_LENGTH = 10_000;

/** A remark pinned to the canvas of a flow. It takes no part in runs. */
export interface FlowNote {
  /** The id is unique in the version. */
  id: string;
  content: string;
  color?: string;
  position?: NotePosition;
  size?: NoteSize;
  /** The user who wrote it. */
  ownerId?: string | null;
  /** `createdAt` and `updatedAt` are in ISO 8601. */
  createdAt?: string;
  updatedAt?: string;
  /** Further members that an editor stores with its notes. */
  [more: string]: unknown;
}

export interface NotePosition {
  x: number;
  y: number;
}

export interface NoteSize {
  width: number;
  height: number;
}
