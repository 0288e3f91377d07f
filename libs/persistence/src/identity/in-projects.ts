import { EntityNotFoundError, isId, type EntityType } from '@millrace/domain';
import { In, type FindOperator, type FindOptionsWhere, type ObjectLiteral, type Repository } from 'typeorm';

// A caller sees the rows of its projects only. To it a row of another project is not there, and neither is a row whose
// id is no UUID, which PostgreSQL would refuse.

export type ProjectIds = readonly string[] | 'any';

/** Returns TypeORM's `where` condition that limits a caller to the projects it may see. */
export function inProjects(projectIds: ProjectIds): { projectId?: FindOperator<string> } {
  return projectIds === 'any' ? {} : { projectId: In(projectIds.filter(isId)) };
}

/** Returns the row. Throws EntityNotFoundError when the caller sees none with this id. */
export async function getInProjects<Row extends ObjectLiteral>(
  rows: Repository<Row>,
  type: EntityType,
  id: string,
  projectIds: ProjectIds,
): Promise<Row> {
  const row = isId(id) ? await rows.findOneBy(oneOf<Row>(id, projectIds)) : null;
  if (!row) throw new EntityNotFoundError(type, id);
  return row;
}

/** Deletes the row. Throws EntityNotFoundError when the caller sees none with this id. */
export async function deleteInProjects<Row extends ObjectLiteral>(
  rows: Repository<Row>,
  type: EntityType,
  id: string,
  projectIds: ProjectIds,
): Promise<void> {
  const deleted = isId(id) ? await rows.delete(oneOf<Row>(id, projectIds)) : null;
  if (!deleted?.affected) throw new EntityNotFoundError(type, id);
}

const oneOf = <Row>(id: string, projectIds: ProjectIds): FindOptionsWhere<Row> =>
  ({ id, ...inProjects(projectIds) }) as unknown as FindOptionsWhere<Row>;
