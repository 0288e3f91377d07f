import { anId } from '@millrace/domain/testing';
import type { DataSource } from 'typeorm';
import { PostgresProjectRepository } from '../identity/postgres-project.repository';
import { UserEntity } from '../identity/user.entity';

/** Inserts a project with its owner. Returns the project's id. */
export async function seedProject(
  dataSource: DataSource,
  more: { id?: string; ownerId?: string } = {},
): Promise<string> {
  const { id = anId(), ownerId = anId() } = more;
  const created = new Date();
  const names = { firstName: 'Ada', lastName: 'Test', platformRole: 'ADMIN' as const, passwordHash: 'x' };
  await dataSource.getRepository(UserEntity).insert({ id: ownerId, email: `${ownerId}@test`, ...names, created });
  const project = { id, displayName: 'A project', ownerId, created, updated: created };
  await new PostgresProjectRepository(dataSource).insert(project);
  return id;
}
