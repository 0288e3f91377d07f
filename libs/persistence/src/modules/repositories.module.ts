import { Global, Module, Optional, type Provider } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  ApiKeyRepository,
  BulkRuns,
  ConnectionRepository,
  FlowRepository,
  FlowRunRepository,
  FlowTemplateRepository,
  FolderRepository,
  IdempotencyRecords,
  Metrics,
  OAuthApps,
  PacedRetries,
  PendingAuthorizations,
  PrincipalNames,
  ProjectMemberRepository,
  ProjectRepository,
  ResourceProjects,
  SampleDataReader,
  SessionRepository,
  RequestCounts,
  SignInAttempts,
  UserInvitationRepository,
  UserRepository,
  WorkerMachineRepository,
} from '@millrace/domain';
import { PostgresConnectionRepository } from '../connections/postgres-connection.repository';
import { PostgresOAuthApps } from '../connections/postgres-oauth-apps';
import { PostgresPendingAuthorizations } from '../connections/postgres-pending-authorizations';
import { PostgresFlowRepository } from '../flows/postgres-flow.repository';
import { PostgresFlowTemplateRepository } from '../flows/postgres-flow-template.repository';
import { PostgresFolderRepository } from '../flows/postgres-folder.repository';
import { PostgresSampleDataReader } from '../flows/postgres-sample-data.reader';
import { PostgresIdempotencyRecords } from '../idempotency/postgres-idempotency-records';
import { PostgresApiKeyRepository } from '../identity/postgres-api-key.repository';
import { PostgresPrincipalNames } from '../identity/postgres-principal-names';
import { PostgresProjectMemberRepository } from '../identity/postgres-project-member.repository';
import { PostgresProjectRepository } from '../identity/postgres-project.repository';
import { PostgresResourceProjects } from '../identity/postgres-resource-projects';
import { PostgresSessionRepository } from '../identity/postgres-session.repository';
import { PostgresRequestCounts } from '../request-limits/postgres-request-counts';
import { PostgresSignInAttempts } from '../identity/postgres-sign-in-attempts';
import { PostgresUserInvitationRepository } from '../identity/postgres-user-invitation.repository';
import { PostgresUserRepository } from '../identity/postgres-user.repository';
import { PostgresPacedRetries } from '../paced-retries/postgres-paced-retries';
import { PostgresBulkRuns } from '../runs/postgres-bulk-runs';
import { PostgresFlowRunRepository } from '../runs/postgres-flow-run.repository';
import { PostgresWorkerMachineRepository } from '../worker-machines/postgres-worker-machine.repository';
import { dataSourceOptions } from './data-source';
import { PostgresSettings } from '../postgres/postgres-settings';
import { reportPool } from '../postgres/report-pool';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';

const repositories = [
  { provide: UserRepository, useClass: PostgresUserRepository },
  { provide: ProjectRepository, useClass: PostgresProjectRepository },
  { provide: ProjectMemberRepository, useClass: PostgresProjectMemberRepository },
  { provide: UserInvitationRepository, useClass: PostgresUserInvitationRepository },
  { provide: SessionRepository, useClass: PostgresSessionRepository },
  { provide: RequestCounts, useClass: PostgresRequestCounts },
  { provide: SignInAttempts, useClass: PostgresSignInAttempts },
  { provide: PrincipalNames, useClass: PostgresPrincipalNames },
  { provide: ResourceProjects, useClass: PostgresResourceProjects },
  { provide: ApiKeyRepository, useClass: PostgresApiKeyRepository },
  { provide: FlowRepository, useClass: PostgresFlowRepository },
  { provide: FolderRepository, useClass: PostgresFolderRepository },
  { provide: FlowTemplateRepository, useClass: PostgresFlowTemplateRepository },
  { provide: SampleDataReader, useClass: PostgresSampleDataReader },
  { provide: IdempotencyRecords, useClass: PostgresIdempotencyRecords },
  { provide: ConnectionRepository, useClass: PostgresConnectionRepository },
  { provide: OAuthApps, useClass: PostgresOAuthApps },
  { provide: PendingAuthorizations, useClass: PostgresPendingAuthorizations },
  { provide: FlowRunRepository, useClass: PostgresFlowRunRepository },
  { provide: BulkRuns, useClass: PostgresBulkRuns },
  { provide: PacedRetries, useClass: PostgresPacedRetries },
  { provide: WorkerMachineRepository, useClass: PostgresWorkerMachineRepository },
] satisfies Provider[];

const typeOrm = TypeOrmModule.forRootAsync({
  inject: [PostgresSettings],
  useFactory: (settings: PostgresSettings) =>
    dataSourceOptions(settings, settings.applicationName, settings.connections?.editing),
});

/**
 * Provides the ports that edit flows and show lists. It needs PostgresModule and SecretsModule. It is global: an app
 * imports it once.
 */
@Global()
@Module({
  imports: [typeOrm],
  providers: repositories,
  exports: repositories.map(({ provide }) => provide),
})
export class RepositoriesModule {
  constructor(database: DataSource, @Optional() metrics?: Metrics) {
    const poolOf = () => (database.driver as { master?: Pool }).master ?? null;
    if (metrics) reportPool(metrics, 'editing', poolOf);
  }
}
