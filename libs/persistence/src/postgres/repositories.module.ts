import { Global, Module, type Provider } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  ApiKeyRepository,
  FlowRepository,
  FlowRunRepository,
  ProjectRepository,
  UserRepository,
} from '@millrace/domain';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { PostgresApiKeyRepository } from '../identity/postgres-api-key.repository';
import { PostgresProjectRepository } from '../identity/postgres-project.repository';
import { PostgresUserRepository } from '../identity/postgres-user.repository';
import { PostgresFlowRunRepository } from '../runs/postgres-flow-run.repository';
import { dataSourceOptions } from './data-source';
import { POSTGRES_SETTINGS, type PostgresSettings } from './postgres-settings';

const repositories = [
  { provide: UserRepository, useClass: PostgresUserRepository },
  { provide: ProjectRepository, useClass: PostgresProjectRepository },
  { provide: ApiKeyRepository, useClass: PostgresApiKeyRepository },
  { provide: FlowRepository, useClass: PostgresFlowRepository },
  { provide: FlowRunRepository, useClass: PostgresFlowRunRepository },
] satisfies Provider[];

const typeOrm = TypeOrmModule.forRootAsync({
  inject: [POSTGRES_SETTINGS],
  useFactory: ({ databaseUrl, applicationName }: PostgresSettings) => dataSourceOptions(databaseUrl, applicationName),
});

/** What an app needs that edits flows and shows lists. Needs PostgresModule. Global: an app imports it once. */
@Global()
@Module({ imports: [typeOrm], providers: repositories, exports: repositories.map(({ provide }) => provide) })
export class RepositoriesModule {}
