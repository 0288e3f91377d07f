import {
  Module,
  type DynamicModule,
  type ModuleMetadata,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  ApiKeyRepository,
  FlowChanges,
  FlowRepository,
  FlowRunRepository,
  ProjectRepository,
  RunJournal,
  UserRepository,
} from '@millrace/domain';
import { Pool } from 'pg';
import { PostgresFlowChanges } from '../flows/postgres-flow-changes';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { PostgresApiKeyRepository } from '../identity/postgres-api-key.repository';
import { PostgresProjectRepository } from '../identity/postgres-project.repository';
import { PostgresUserRepository } from '../identity/postgres-user.repository';
import { PostgresFlowRunRepository } from '../runs/postgres-flow-run.repository';
import { PostgresRunJournal } from '../runs/postgres-run-journal';
import { dataSourceOptions } from './data-source';
import { openHotPool } from './hot-pool';
import { POSTGRES_SETTINGS, type PostgresSettings } from './postgres-settings';

/** How an app gives its settings when it only has them once other providers exist. */
export interface PostgresSettingsFactory extends Pick<ModuleMetadata, 'imports'> {
  inject?: Extract<Provider, { useFactory: unknown }>['inject'];
  // Nest calls it with what `inject` names.
  useFactory: (...injected: never[]) => PostgresSettings | Promise<PostgresSettings>;
}

const ports: Provider[] = [
  { provide: UserRepository, useClass: PostgresUserRepository },
  { provide: ProjectRepository, useClass: PostgresProjectRepository },
  { provide: ApiKeyRepository, useClass: PostgresApiKeyRepository },
  { provide: FlowRepository, useClass: PostgresFlowRepository },
  { provide: FlowChanges, useClass: PostgresFlowChanges },
  { provide: FlowRunRepository, useClass: PostgresFlowRunRepository },
  { provide: RunJournal, useClass: PostgresRunJournal },
];

@Module({})
class PostgresSettingsModule {}

/**
 * Every port that PostgreSQL keeps, but RunIntake, which also needs the queue (RunIntakeModule). Global: an app imports
 * it once. The hot pool and the listener connect when first used.
 */
@Module({})
export class PostgresModule implements OnApplicationShutdown {
  constructor(private readonly hotPool: Pool) {}

  static forRoot(settings: PostgresSettings): DynamicModule {
    return PostgresModule.forRootAsync({ useFactory: () => settings });
  }

  static forRootAsync({ imports = [], inject = [], useFactory }: PostgresSettingsFactory): DynamicModule {
    const settings: DynamicModule = {
      module: PostgresSettingsModule,
      imports,
      providers: [{ provide: POSTGRES_SETTINGS, inject, useFactory }],
      exports: [POSTGRES_SETTINGS],
    };
    const typeOrm = TypeOrmModule.forRootAsync({
      imports: [settings],
      inject: [POSTGRES_SETTINGS],
      useFactory: ({ databaseUrl, applicationName }: PostgresSettings) =>
        dataSourceOptions(databaseUrl, applicationName),
    });
    const hotPool: Provider = {
      provide: Pool,
      inject: [POSTGRES_SETTINGS],
      useFactory: ({ databaseUrl, applicationName }: PostgresSettings) => openHotPool(databaseUrl, applicationName),
    };
    return {
      module: PostgresModule,
      global: true,
      imports: [settings, typeOrm],
      providers: [hotPool, ...ports],
      exports: [settings, Pool, ...ports.map((port) => (port as { provide: Provider['constructor'] }).provide)],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.hotPool.end();
  }
}
