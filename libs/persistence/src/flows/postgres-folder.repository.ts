import { Injectable } from '@nestjs/common';
import {
  EntityExistsError,
  EntityNotFoundError,
  FolderRepository,
  isId,
  type Folder,
  type Page,
  type PageRequest,
} from '@millrace/domain';
import { DataSource } from 'typeorm';
import { getInProjects, inProjects } from '../identity/in-projects';
import { readEntityPage } from '../lists/entity-page';
import { isUniqueViolation } from '../postgres/postgres-failure';
import { storableText } from '../postgres/stored-json';
import { FolderEntity } from './folder.entity';
import { searchName } from './search-name';
import { inEntityTransaction } from '../postgres/in-entity-transaction';

@Injectable()
export class PostgresFolderRepository extends FolderRepository {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async insert(folder: Folder): Promise<void> {
    await refusingTakenNames(() => this.folders.insert(toRow(folder)));
  }

  async findOrInsert(folder: Folder): Promise<Folder> {
    const { projectId, nameKey } = toRow(folder);
    for (;;) {
      await this.dataSource.createQueryBuilder().insert().into(FolderEntity).values(toRow(folder)).orIgnore().execute();
      const found = await this.folders.findOneBy({ projectId, nameKey });
      // The folder is missing only when it was deleted at this moment; then it is inserted again.
      if (found) return found;
    }
  }

  get(folderId: string, projectIds: readonly string[] | 'any'): Promise<Folder> {
    return getInProjects(this.folders, 'folder', folderId, projectIds);
  }

  list(projectId: string, page: PageRequest): Promise<Page<Folder>> {
    const where = isId(projectId) ? { projectId } : null;
    return readEntityPage(this.folders, page, { filters: ['folders', projectId], where });
  }

  async rename(
    folderId: string,
    projectIds: readonly string[] | 'any',
    displayName: string,
    updated: Date,
  ): Promise<Folder> {
    if (!isId(folderId)) throw new EntityNotFoundError('folder', folderId);
    await refusingTakenNames(() =>
      this.folders.update({ id: folderId, ...inProjects(projectIds) }, { ...namesOf(displayName), updated }),
    );
    return this.get(folderId, projectIds);
  }

  async delete(folderId: string, projectIds: readonly string[] | 'any'): Promise<void> {
    const folder = await this.get(folderId, projectIds);
    await inEntityTransaction(this.dataSource, async (tx) => {
      await tx.query(MOVE_FLOWS_OUT, [folder.id]);
      const { affected } = await tx.delete(FolderEntity, { id: folder.id });
      if (!affected) throw new EntityNotFoundError('folder', folderId);
    });
  }

  private get folders() {
    return this.dataSource.getRepository(FolderEntity);
  }
}

/**
 * Flows leave the folder before it is deleted. They are locked first and in the order of their ids, as changes of flows
 * do, so that the two never wait for each other. The new revision changes the entity tags of the flows.
 */
const MOVE_FLOWS_OUT = `
  with inside as (select id from flow where folder_id = $1 order by id for update)
  update flow set folder_id = null, revision = revision + 1 where id in (select id from inside)`;

const namesOf = (displayName: string): Pick<FolderEntity, 'displayName' | 'nameKey'> => ({
  displayName: storableText(displayName),
  nameKey: searchName(displayName),
});

const toRow = ({ id, projectId, displayName, created, updated }: Folder): FolderEntity => ({
  id,
  projectId,
  ...namesOf(displayName),
  created,
  updated,
});

async function refusingTakenNames(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw isUniqueViolation(error) ? new EntityExistsError('folder', 'displayName') : error;
  }
}
