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
import { LIVELY_CONNECTION } from '../postgres/connection-options';
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
export function dataSourceOptions(databaseUrl: string, applicationName: string, maxConnections = 5): DataSourceOptions {
  return {
    type: 'postgres',
    url: databaseUrl,
    applicationName,
    entities: ENTITIES,
    installExtensions: false,
    extra: {
      ...LIVELY_CONNECTION,
      max: maxConnections,
      connectionTimeoutMillis: TIME_LIMITS.editingConnectMs,
      statement_timeout: TIME_LIMITS.statementMs,
      query_timeout: TIME_LIMITS.statementMs + CLIENT_WAITS_LONGER_MS,
      Client: WatchedClient,
    },
  };
}
