import { isId } from '@millrace/domain';
import { In, type FindOperator } from 'typeorm';

/** Returns TypeORM's `where` condition that limits a caller to the projects it may see. */
export function inProjects(projectIds: readonly string[] | 'any'): { projectId?: FindOperator<string> } {
  return projectIds === 'any' ? {} : { projectId: In(projectIds.filter(isId)) };
}
