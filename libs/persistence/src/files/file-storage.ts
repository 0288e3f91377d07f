import type { FileContent, NewFile } from '@millrace/domain';
import type { Readable } from 'node:stream';

export type StorageName = 'DB' | 'S3';

/** What names a file's content in its storage. */
export type ContentPlace = Pick<NewFile, 'id' | 'projectId'>;

export type KeptFile = Pick<NewFile, 'id' | 'projectId' | 'bytes'>;

/** One place for the content of files; what files there are is not its business. */
export abstract class FileStorage {
  /** Replaces what is there; durable when it resolves. The content has as many bytes as the file says, or throws. */
  abstract put(file: NewFile, content: FileContent): Promise<void>;
  /** Null when there is nothing. What ends too early breaks with an error. */
  abstract open(file: KeptFile): Promise<Readable | null>;
  /** There may be nothing. */
  abstract remove(places: readonly ContentPlace[]): Promise<void>;
}
