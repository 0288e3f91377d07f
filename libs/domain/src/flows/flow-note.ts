export const MAX_NOTES_PER_VERSION = 500;
export const MAX_NOTE_LENGTH = 10_000;

/** A remark pinned to the canvas of a flow. It takes no part in runs. */
export interface FlowNote {
  /** Unique in the version. */
  id: string;
  content: string;
  color?: string;
  position?: NotePosition;
  size?: NoteSize;
  /** The user who wrote it. */
  ownerId?: string | null;
  /** ISO times. */
  createdAt?: string;
  updatedAt?: string;
  /** Whatever else the editor that wrote it keeps with a note. */
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
