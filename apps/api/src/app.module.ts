import { Clock, PieceCatalogue, SystemClock } from '@millrace/domain';
import { HealthModule, OutboundModule, ReadinessChecks } from '@millrace/http';
import {
  connectionShares,
  databaseAddress,
  databaseChecks,
  EventDeliveryModule,
  fileSettings,
  FileStoreModule,
  IntakeGateModule,
  intakeSettings,
  keyRing,
  LAZY_QUEUE_DEADLINE_MS,
  LazyRunIntakeModule,
  MaintenanceModule,
  MaintenanceQueueModule,
  PostgresModule,
  QueueProbe,
  queueSettings,
  RepositoriesModule,
  RunExecutionModule,
  SecretsModule,
} from '@millrace/persistence';
import { BuiltInPieces, InstalledPieces, NoPackageCalls } from '@millrace/pieces';
import { Injectable, Module, type DynamicModule } from '@nestjs/common';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { ApiKeysModule } from './api-keys/api-keys.module';
import { AppEventsModule } from './app-events/app-events.module';
import { AuditModule } from './audit/audit.module';
import { AuthModule } from './auth/auth.module';
import { BackfillsModule } from './backfills/backfills.module';
import { API_SETTINGS, type ApiSettings } from './settings/config';
import { ConnectionsModule } from './connections/connections.module';
import { EvaluationsModule } from './evaluations/evaluations.module';
import { EventDestinationsModule } from './event-destinations/event-destinations.module';
import { FilesModule } from './files/files.module';
import { FlowsModule } from './flows/flows.module';
import { FoldersModule } from './folders/folders.module';
import { FormsModule } from './forms/forms.module';
import { HumanInputModule } from './human-input/human-input.module';
import { IdempotencyModule } from './idempotency/idempotency.module';
import { LiveModule } from './live/live.module';
import { NamedEventsModule } from './named-events/named-events.module';
import { OAuthAppsModule } from './oauth-apps/oauth-apps.module';
import { PiecesModule } from './pieces/pieces.module';
import { UsablePackages } from './pieces/usable-packages';
import { ProjectsModule } from './projects/projects.module';
import { QueueAdministrationModule } from './queue/queue-administration.module';
import { RestModule } from './rest/rest.module';
import { RunDiffsModule } from './run-diffs/run-diffs.module';
import { RunRetriesModule } from './run-retries/run-retries.module';
import { RunStepsModule } from './run-steps/run-steps.module';
import { RunsModule } from './runs/runs.module';
import { SampleDataModule } from './sample-data/sample-data.module';
import { StepTestsModule } from './step-tests/step-tests.module';
import { StoreEntriesModule } from './store-entries/store-entries.module';
import { TemplatesModule } from './templates/templates.module';
import { TriggerTestsModule } from './trigger-tests/trigger-tests.module';
import { InstallationModule } from './installation/installation.module';
import { ProjectMembersModule } from './project-members/project-members.module';
import { UserInvitationsModule } from './user-invitations/user-invitations.module';
import { UsersModule } from './users/users.module';
import { WorkerMachinesModule } from './worker-machines/worker-machines.module';

/**
 * TypeORM serves nearly all requests of the api. Without its queue the api still commits runs, which the rescuer enqueues
 * later.
 */
@Injectable()
class ApiReadiness extends ReadinessChecks {
  readonly needed;
  override readonly reported;

  constructor(database: DataSource, pool: Pool, queue: QueueProbe) {
    super();
    this.needed = {
      ...databaseChecks(pool),
      database: async () => Boolean(await database.query('select 1')),
    };
    this.reported = { queue: () => queue.answers() };
  }
}

@Module({})
export class AppModule {
  static forRoot(settings: ApiSettings): DynamicModule {
    const connections = apiConnections(settings);
    const queue = queueSettings(settings, connections.queue);
    return {
      module: AppModule,
      global: true,
      imports: [
        PostgresModule.forRoot({ ...databaseAddress(settings), applicationName: 'millrace api', connections }),
        SecretsModule.forRoot(keyRing(settings)),
        RepositoriesModule,
        EventDeliveryModule,
        FileStoreModule.forRoot(fileSettings(settings)),
        IntakeGateModule.forRoot(intakeSettings(settings)),
        LazyRunIntakeModule.forRoot(queue),
        MaintenanceQueueModule.forRoot(queue),
        RunExecutionModule.forRoot({ queueDeadlineMs: LAZY_QUEUE_DEADLINE_MS }),
        MaintenanceModule.forRoot({
          standsIn: true,
          flowTimeoutSeconds: settings.SVC_FLOW_TIMEOUT_SECONDS,
          retention: {
            days: settings.SVC_EXECUTION_DATA_RETENTION_DAYS,
            hours: settings.SVC_EXECUTION_DATA_RETENTION_HOURS,
          },
          runRetentionDays: settings.SVC_RUN_RETENTION_DAYS,
          auditRetentionDays: settings.SVC_AUDIT_RETENTION_DAYS,
        }),
        IdempotencyModule,
        RestModule,
        AuditModule,
        HealthModule.forRoot(ApiReadiness),
        OutboundModule.forRoot(settings),
        AuthModule,
        FlowsModule,
        FoldersModule,
        TemplatesModule,
        PiecesModule,
        ConnectionsModule,
        OAuthAppsModule,
        AppEventsModule,
        EventDestinationsModule,
        StoreEntriesModule,
        NamedEventsModule,
        SampleDataModule,
        StepTestsModule,
        EvaluationsModule,
        TriggerTestsModule,
        FilesModule,
        RunsModule,
        RunRetriesModule,
        BackfillsModule,
        RunDiffsModule,
        RunStepsModule,
        FormsModule,
        HumanInputModule,
        ProjectsModule,
        ApiKeysModule,
        ProjectMembersModule,
        UserInvitationsModule,
        UsersModule,
        QueueAdministrationModule,
        WorkerMachinesModule,
        InstallationModule,
        LiveModule,
        ...(settings.SVC_QUEUE_UI_ENABLED ? [queueBoard(settings)] : []),
      ],
      providers: [
        { provide: API_SETTINGS, useValue: settings },
        { provide: Clock, useClass: SystemClock },
        UsablePackages,
        {
          provide: InstalledPieces,
          inject: [UsablePackages],
          useFactory: (packages: UsablePackages) => new InstalledPieces(packages, new NoPackageCalls()),
        },
        { provide: BuiltInPieces, useExisting: InstalledPieces },
        { provide: PieceCatalogue, useExisting: InstalledPieces },
      ],
      exports: [API_SETTINGS, BuiltInPieces, Clock, InstalledPieces, PieceCatalogue, UsablePackages],
    };
  }
}

const apiConnections = (settings: ApiSettings) =>
  connectionShares(settings.SVC_API_DATABASE_CONNECTIONS, {
    queueInDatabase: settings.SVC_REDIS_URL === undefined,
    edits: true,
  });

/** Loads the board, and BullMQ with it, only where it is served. */
async function queueBoard(settings: ApiSettings): Promise<DynamicModule> {
  return (await import('./queue-board/queue-board.module')).QueueBoardModule.forRoot(
    settings,
    apiConnections(settings).queue,
  );
}
