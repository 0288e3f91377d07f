import type { DataSourceOptions } from 'typeorm';
import { FlowEntity } from '../flows/flow.entity';
import { FlowVersionEntity } from '../flows/flow-version.entity';
import { ApiKeyEntity } from '../identity/api-key.entity';
import { ProjectEntity } from '../identity/project.entity';
import { UserEntity } from '../identity/user.entity';
import { FlowRunEntity } from '../runs/flow-run.entity';
import { migrations } from './migrations/migrations';

/** TypeORM serves everything but the hot path. The schema comes from the migrations alone, never from the entities. */
export function dataSourceOptions(databaseUrl: string, applicationName: string, maxConnections = 5): DataSourceOptions {
  return {
    type: 'postgres',
    url: databaseUrl,
    applicationName,
    entities: [UserEntity, ProjectEntity, ApiKeyEntity, FlowEntity, FlowVersionEntity, FlowRunEntity],
    migrations,
    migrationsTableName: 'migration',
    installExtensions: false,
    connectTimeoutMS: 5_000,
    extra: { max: maxConnections, statement_timeout: 30_000, keepAlive: true },
  };
}
