import type { Readable } from 'node:stream';
import type { NewFile, StoredFile } from './stored-file';

// The store of files.
//
// F1. A file exists whole or not at all, and its content never changes: one id has one content.
// F2. Each file records which storage holds it, so files stay where they are when the setting changes.
// F3. The store notes every write and deletion before it begins, so that leftovers of a crash can be found.
// F4. The store never holds a whole file in memory: content arrives and leaves in pieces.

/** The pieces of a file. A piece has any size; together they have as many bytes as the file says. */
export type FileContent = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface OpenedFile {
  file: StoredFile;
  /** The caller must read it to its end or destroy it. */
  content: Readable;
}

/** The projects whose files a caller may see. */
export type FileProjects = readonly string[] | 'any';

export abstract class FileStore {
  /**
   * Stores a file; the file is durable when this resolves. A file that is stored under the id already stays as it is.
   * Rejects with ServiceUnavailableError when the storage is away; then no file exists under the id.
   */
  abstract write(file: NewFile, content: FileContent): Promise<StoredFile>;
  /** Null when there is no such file of these projects. */
  abstract find(id: string, projectIds: FileProjects): Promise<StoredFile | null>;
  /** Throws EntityNotFoundError. A file of another project counts as unknown. */
  abstract open(id: string, projectIds: FileProjects): Promise<OpenedFile>;
  /** Deletes the files of these projects, ignores all other ids, and resolves with the number of deleted files. */
  abstract deleteFiles(ids: readonly string[], projectIds: FileProjects): Promise<number>;
  /** Keeps these files until the data of this newer run is purged, because the newer run refers to them too. */
  abstract keepWithRun(ids: readonly string[], runId: string): Promise<void>;
  /** Deletes the files of runs that ended before this time. Resolves with their number. */
  abstract purgeFilesOfRuns(endedBefore: Date): Promise<number>;
  /** Deletes the files of projects that are no more. Resolves with their number. */
  abstract purgeFilesOfDeletedProjects(): Promise<number>;
  /** Deletes the archives that were written before this time, and that no package names. Resolves with their number. */
  abstract purgeUnnamedArchives(writtenBefore: Date): Promise<number>;
  /**
   * Removes what is left of writes and deletions that began before this time and never finished. Resolves with their
   * number.
   */
  abstract removeLeftovers(begunBefore: Date): Promise<number>;
}
