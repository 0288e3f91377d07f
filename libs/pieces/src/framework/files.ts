import type { FileInHand } from '@millrace/domain';

/** Files that a step or a trigger writes and reads. No file is larger than 25 MB. */
export interface FilesOfStep {
  /**
   * Stores a file, which is deleted with the data of the run, and resolves with a link to it. Throws ActionFailure when
   * the run, or the call of a trigger, has no room for it. A file of a trigger is deleted when neither its items nor its
   * store have the link.
   */
  write: (file: FileInHand) => Promise<string>;
  /** Reads the file behind a link of this service, in a data URL, or on another server, until the signal aborts. */
  read: (url: string, signal?: AbortSignal) => Promise<FileInHand>;
}
