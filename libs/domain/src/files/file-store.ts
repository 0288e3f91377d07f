import type { Readable } from 'node:stream';
import type { NewFile, StoredFile } from './stored-file';

// Where files are kept.
//
// F1. A file is there whole or not at all, and its content never changes: under one id there is one content.
// F2. Which storage holds a file is kept with the file, so files stay where they are when the setting changes.
// F3. A crash leaves nothing that is not found again: whatever was begun is noted before it begins.
// F4. Nothing here holds a whole file: content comes and goes in pieces.

/** The pieces of a file, of any size; together as many bytes as the file says. */
export type FileContent = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface OpenedFile {
  file: StoredFile;
  /** Must be read to its end or destroyed. */
  content: Readable;
}

/** Whose files: those of these projects. */
export type FileProjects = readonly string[] | 'any';

export abstract class FileStore {
  /**
   * Keeps a file; it is durable when this resolves. An id that is kept already is left as it is. Rejects with
   * ServiceUnavailableError when the storage is away; then nothing is there under the id.
   */
  abstract write(file: NewFile, content: FileContent): Promise<StoredFile>;
  /** Null when there is none. */
  abstract find(id: string, projectIds: FileProjects): Promise<StoredFile | null>;
  /** Throws EntityNotFoundError; a foreign project's file is an unknown file. */
  abstract open(id: string, projectIds: FileProjects): Promise<OpenedFile>;
  /** Ids that are none of these projects' files are passed over. Answers how many it deleted. */
  abstract deleteFiles(ids: readonly string[], projectIds: FileProjects): Promise<number>;
  /** From now on these files go with the data of this, a newer run: it refers to them as well. */
  abstract keepWithRun(ids: readonly string[], runId: string): Promise<void>;
  /** Deletes the files of runs that ended before. Answers how many. */
  abstract purgeFilesOfRuns(endedBefore: Date): Promise<number>;
  /** Removes what was begun before and never finished: writes and deletions cut short. Answers how many. */
  abstract removeLeftovers(begunBefore: Date): Promise<number>;
}
