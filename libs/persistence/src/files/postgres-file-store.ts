import {
  EntityNotFoundError,
  FileStore,
  isId,
  ServiceUnavailableError,
  type FileContent,
  type FileProjects,
  type NewFile,
  type OpenedFile,
  type StoredFile,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { ofLength } from './content-pieces';
import type { FileStorage, StorageName } from './file-storage';
import {
  beginFile,
  completeFile,
  doomFiles,
  doomFilesOfDeletedProjects,
  doomFilesOfRuns,
  keepFilesWithRun,
  doomLeftovers,
  doomUnnamedArchives,
  findFile,
  forgetFiles,
  type DoomedFile,
  type StoredFileRow,
} from './file.statements';

const DELETED_AT_ONCE = 100;

export abstract class FileStorages {
  /** The storage of new files. */
  abstract readonly chosen: StorageName;
  /** All configured storages. Old files stay in theirs. */
  abstract readonly byName: ReadonlyMap<StorageName, FileStorage>;
}

/**
 * The files, and the storage that holds the content of each. The row is written before the content and deleted after
 * it, so that all content can be found by a row.
 */
@Injectable()
export class PostgresFileStore extends FileStore {
  constructor(
    private readonly pool: Pool,
    private readonly storages: FileStorages,
  ) {
    super();
  }

  async write(file: NewFile, content: FileContent): Promise<StoredFile> {
    return namingOutages(async () => {
      const name = await beginFile(this.pool, file, this.storages.chosen);
      if (name !== null) await this.fill(file, content, this.storage(name));
      const stored = await this.find(file.id, 'any');
      if (stored) return stored;
      throw new ServiceUnavailableError('This file is being deleted; try again later.', 5);
    });
  }

  async find(id: string, projectIds: FileProjects): Promise<StoredFile | null> {
    const row = await this.row(id, projectIds);
    return row ? toFile(row) : null;
  }

  async open(id: string, projectIds: FileProjects): Promise<OpenedFile> {
    return namingOutages(async () => {
      const row = await this.row(id, projectIds);
      if (!row) throw new EntityNotFoundError('file', id);
      const file = toFile(row);
      const content = await this.storage(row.storage).open(file);
      // The file may have been deleted meanwhile, or its object removed from the bucket.
      if (!content) throw new EntityNotFoundError('file', id);
      return { file, content };
    });
  }

  async deleteFiles(ids: readonly string[], projectIds: FileProjects): Promise<number> {
    return namingOutages(async () => {
      const doomed = await doomFiles(this.pool, ids.filter(isId), projectIds);
      await this.remove(doomed);
      return doomed.length;
    });
  }

  async keepWithRun(ids: readonly string[], runId: string): Promise<void> {
    if (ids.length > 0) await namingOutages(() => keepFilesWithRun(this.pool, ids, runId));
  }

  async purgeFilesOfRuns(endedBefore: Date): Promise<number> {
    return this.removeAll(() => doomFilesOfRuns(this.pool, endedBefore, DELETED_AT_ONCE));
  }

  async purgeFilesOfDeletedProjects(): Promise<number> {
    return this.removeAll(() => doomFilesOfDeletedProjects(this.pool, DELETED_AT_ONCE));
  }

  async purgeUnnamedArchives(writtenBefore: Date): Promise<number> {
    return this.removeAll(() => doomUnnamedArchives(this.pool, writtenBefore, DELETED_AT_ONCE));
  }

  async removeLeftovers(begunBefore: Date): Promise<number> {
    return this.removeAll(() => doomLeftovers(this.pool, begunBefore, DELETED_AT_ONCE));
  }

  /**
   * Writes the content. Removes it again when its row has been deleted meanwhile, because nothing else would find it.
   */
  private async fill(file: NewFile, content: FileContent, storage: FileStorage): Promise<void> {
    await storage.put(file, ofLength(content, file.bytes));
    if ((await completeFile(this.pool, file.id)) || (await this.row(file.id, 'any'))) return;
    await storage.remove([file]);
  }

  private async row(id: string, projectIds: FileProjects): Promise<StoredFileRow | undefined> {
    return isId(id) ? namingOutages(() => findFile(this.pool, id, projectIds)) : undefined;
  }

  /** Removes files in batches, until a batch is not full. */
  private async removeAll(doom: () => Promise<DoomedFile[]>): Promise<number> {
    for (let removed = 0; ;) {
      const doomed = await doom();
      await this.remove(doomed);
      removed += doomed.length;
      if (doomed.length < DELETED_AT_ONCE) return removed;
    }
  }

  private async remove(doomed: readonly DoomedFile[]): Promise<void> {
    for (const name of new Set(doomed.map(({ storage }) => storage))) {
      const files = doomed.filter(({ storage }) => storage === name);
      await this.storage(name).remove(files.map(({ id, project_id: projectId }) => ({ id, projectId })));
      const ids = files.map(({ id }) => id);
      await forgetFiles(this.pool, ids);
    }
  }

  private storage(name: StorageName): FileStorage {
    const storage = this.storages.byName.get(name);
    if (!storage) throw new ServiceUnavailableError(`The storage ${name} of this file is not configured.`, 60);
    return storage;
  }
}

/**
 * Throws ServiceUnavailableError when the database is unavailable, so that the step which asks does not fail for it.
 */
async function namingOutages<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw nameDatabaseError(error);
  }
}

const toFile = (row: StoredFileRow): StoredFile => ({
  id: row.id,
  projectId: row.project_id,
  type: row.type,
  name: row.name,
  contentType: row.content_type,
  bytes: Number(row.bytes),
  runId: row.run_id,
  created: row.created,
});
