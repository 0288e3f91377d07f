/** The step that writes a file. */
export interface WritingStep {
  /**
   * The id of the run. A trigger, which writes before there is a run, has a new one of its own, and its files are deleted
   * when the data of a run of this moment would be.
   */
  readonly id: string;
  readonly projectId: string;
  readonly stepKey: string;
}

/** A file as steps have it: whole, in memory. */
export interface FileInHand {
  readonly name: string;
  readonly content: Buffer;
}

/** How much a call may write to files. */
export interface FileRoom {
  readonly bytes: number;
  /** One sentence for the author of the flow when the files of the call go over it. */
  readonly problem: string;
}

/** Files that steps write and read. They are deleted together with the data of their run. */
export abstract class StepFiles {
  /**
   * Stores a file of the run, and resolves with a signed link to it. A repeated step that writes the same gets a link to
   * the same file.
   */
  abstract write(step: WritingStep, file: FileInHand): Promise<string>;
  /**
   * Reads the file behind a signed link of this installation. Null for every other URL. Throws InvalidFileLinkError, and
   * EntityNotFoundError when the file was deleted.
   */
  abstract read(url: string): Promise<FileInHand | null>;
  /** Deletes the files of the project behind these signed links. All other URLs are left alone. */
  abstract delete(urls: readonly string[], projectId: string): Promise<void>;
}
