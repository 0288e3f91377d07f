import { FileStore, NO_PROJECT, type PieceRef } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { newId } from '../postgres/new-id';

const PIECE_BYTES = 1024 * 1024;

/** The archives of packages among the files of the installation. */
@Injectable()
export class StoredArchives {
  constructor(private readonly files: FileStore) {}

  /** Stores the archive of a package, and returns its id. */
  async write(archive: Buffer, { name, version }: PieceRef): Promise<string> {
    const file = {
      id: newId(),
      projectId: NO_PROJECT,
      type: 'PACKAGE_ARCHIVE',
      name: `${name.replaceAll('/', '-')}-${version}.tgz`,
      contentType: 'application/gzip',
      bytes: archive.length,
      runId: null,
    } as const;
    await this.files.write(file, piecesOf(archive));
    return file.id;
  }

  async read(archiveId: string): Promise<Buffer> {
    const { content } = await this.files.open(archiveId, [NO_PROJECT]);
    const parts: Buffer[] = [];
    for await (const part of content) parts.push(part as Buffer);
    return Buffer.concat(parts);
  }

  async delete(archiveId: string): Promise<void> {
    await this.files.deleteFiles([archiveId], [NO_PROJECT]);
  }
}

function* piecesOf(archive: Buffer): Generator<Buffer> {
  for (let start = 0; start < archive.length; start += PIECE_BYTES) yield archive.subarray(start, start + PIECE_BYTES);
}
