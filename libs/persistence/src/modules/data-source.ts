import type { DataSourceOptions } from 'typeorm';
import { ConnectionEntity } from '../connections/connection.entity';
import { FlowEntity } from '../flows/flow.entity';
import { FlowTemplateEntity } from '../flows/flow-template.entity';
import { FlowVersionEntity } from '../flows/flow-version.entity';
import { FolderEntity } from '../flows/folder.entity';
import { ApiKeyEntity } from '../identity/api-key.entity';
import { ProjectMemberEntity } from '../identity/project-member.entity';
import { ProjectEntity } from '../identity/project.entity';
import { UserInvitationEntity } from '../identity/user-invitation.entity';
import { UserEntity } from '../identity/user.entity';
import { FlowRunEntity } from '../runs/flow-run.entity';
import { CLIENT_WAITS_LONGER_MS, TIME_LIMITS } from '../time-limits';
import { LIVELY_CONNECTION, pooledOptions } from '../postgres/connection-options';
import { addressOf, type Database } from '../postgres/postgres-settings';
import { WatchedClient } from '../postgres/watched-client';

const ENTITIES = [
  UserEntity,
  ProjectEntity,
  ProjectMemberEntity,
  UserInvitationEntity,
  ApiKeyEntity,
  FolderEntity,
  FlowEntity,
  FlowVersionEntity,
  FlowTemplateEntity,
  FlowRunEntity,
  ConnectionEntity,
];

/** TypeORM serves everything but the hot path. Only the migrations make the schema; TypeORM never derives it. */
export function dataSourceOptions(database: Database, applicationName: string, maxConnections = 5): DataSourceOptions {
  const settings = { statement_timeout: TIME_LIMITS.statementMs };
  return {
    type: 'postgres',
    url: addressOf(database).databaseUrl,
    applicationName,
    entities: ENTITIES,
    installExtensions: false,
    extra: {
      ...(pooledOptions(database, settings) ?? { ...LIVELY_CONNECTION, ...settings, Client: WatchedClient }),
      max: maxConnections,
      connectionTimeoutMillis: TIME_LIMITS.editingConnectMs,
      query_timeout: TIME_LIMITS.statementMs + CLIENT_WAITS_LONGER_MS,
    },
  };
}
