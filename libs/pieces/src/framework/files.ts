import type { FileInHand } from '@millrace/domain';

/** Files that a step or a trigger writes and reads. No file is larger than 25 MB. */
export interface FilesOfStep {
  /** Stores a file, which is deleted with the data of the run, and resolves with a link to it. */
  write: (file: FileInHand) => Promise<string>;
  /** Reads the file behind a link of this service, in a data URL, or on another server. */
  read: (url: string) => Promise<FileInHand>;
}
