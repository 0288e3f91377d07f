import type { FileContent, NewFile } from '@millrace/domain';
import type { Readable } from 'node:stream';

export type StorageName = 'DB' | 'S3';

/** The ids that name the content of a file in its storage. */
export type ContentPlace = Pick<NewFile, 'id' | 'projectId'>;

export type KeptFile = Pick<NewFile, 'id' | 'projectId' | 'bytes'>;

/** A storage for the content of files. FileStore knows which files exist. */
export abstract class FileStorage {
  /**
   * Writes or replaces content, which is durable when this resolves. `content` yields `file.bytes` bytes, or throws.
   */
  abstract put(file: NewFile, content: FileContent): Promise<void>;
  /** Resolves to null when there is no content. The stream fails when the content ends too early. */
  abstract open(file: KeptFile): Promise<Readable | null>;
  /** Removes content. It is no error when there is no content. */
  abstract remove(places: readonly ContentPlace[]): Promise<void>;
}
