import { Readable } from 'node:stream';
import { EntityNotFoundError } from '../errors/entity-not-found.error';
import { FileStore, type FileContent, type FileProjects, type OpenedFile } from '../files/file-store';
import type { NewFile, StoredFile } from '../files/stored-file';
import { firstIdAt } from '../id';

interface KeptFile {
  file: StoredFile;
  content: Buffer;
}

/** This store never has leftovers, no project is deleted, and no archive is unnamed. `unfinishedRuns` are the ids of the runs whose files are not purged. */
export class InMemoryFileStore extends FileStore {
  private readonly kept = new Map<string, KeptFile>();

  constructor(private readonly unfinishedRuns: ReadonlySet<string> = new Set()) {
    super();
  }

  override async write(file: NewFile, content: FileContent): Promise<StoredFile> {
    const parts: Uint8Array[] = [];
    for await (const part of content) parts.push(part);
    const known = this.kept.get(file.id);
    if (known) return known.file;
    const whole = Buffer.concat(parts);
    if (whole.length !== file.bytes) throw new Error(`The file has ${whole.length} and not ${file.bytes} bytes.`);
    const stored = { ...file, created: new Date() };
    this.kept.set(file.id, { file: stored, content: whole });
    return stored;
  }

  override find(id: string, projectIds: FileProjects): Promise<StoredFile | null> {
    return Promise.resolve(this.of(id, projectIds)?.file ?? null);
  }

  override open(id: string, projectIds: FileProjects): Promise<OpenedFile> {
    const found = this.of(id, projectIds);
    if (!found) return Promise.reject(new EntityNotFoundError('file', id));
    return Promise.resolve({ file: found.file, content: Readable.from([found.content], { objectMode: false }) });
  }

  override deleteFiles(ids: readonly string[], projectIds: FileProjects): Promise<number> {
    return Promise.resolve(this.deleteWhere(({ id }) => ids.includes(id) && this.of(id, projectIds) !== undefined));
  }

  override purgeFilesOfRuns(createdBefore: Date): Promise<number> {
    const below = firstIdAt(createdBefore);
    return Promise.resolve(
      this.deleteWhere(({ runId }) => runId !== null && runId < below && !this.unfinishedRuns.has(runId)),
    );
  }

  override keepWithRun(ids: readonly string[], runId: string): Promise<void> {
    for (const id of ids) {
      const kept = this.kept.get(id);
      if (kept?.file.runId && kept.file.runId < runId) kept.file = { ...kept.file, runId };
    }
    return Promise.resolve();
  }

  override purgeFilesOfDeletedProjects(): Promise<number> {
    return Promise.resolve(0);
  }

  override purgeUnnamedArchives(): Promise<number> {
    return Promise.resolve(0);
  }

  override removeLeftovers(): Promise<number> {
    return Promise.resolve(0);
  }

  private of(id: string, projectIds: FileProjects): KeptFile | undefined {
    const found = this.kept.get(id.toLowerCase());
    return found && (projectIds === 'any' || projectIds.includes(found.file.projectId)) ? found : undefined;
  }

  private deleteWhere(isDoomed: (file: StoredFile) => boolean): number {
    const doomed = [...this.kept.values()].filter(({ file }) => isDoomed(file));
    for (const { file } of doomed) this.kept.delete(file.id);
    return doomed.length;
  }
}
