import { Logger, Module, type DynamicModule, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import {
  AuditLog,
  Backlog,
  BacklogWatch,
  CodeBundleStore,
  FlowChanges,
  FlowVersionReader,
  LiveFeed,
  LiveUpdates,
  Metrics,
  PiecePackages,
  ProjectFlows,
  RunAnswers,
  RunNotices,
  SampleDataWriter,
  SampleOutputs,
  StoreEntries,
  SystemClock,
  TriggerEvents,
  TriggerOperations,
  TriggerRenewals,
  UnfinishedRuns,
} from '@millrace/domain';
import { Pool } from 'pg';
import { PostgresAuditLog } from '../audit/postgres-audit-log';
import { PostgresCodeBundleStore } from '../flows/postgres-code-bundle.store';
import { PostgresFlowChanges } from '../flows/postgres-flow-changes';
import { PostgresFlowVersionReader } from '../flows/postgres-flow-version.reader';
import { PostgresProjectFlows } from '../flows/postgres-project-flows';
import { PostgresSampleDataWriter } from '../flows/postgres-sample-data.writer';
import { PostgresSampleOutputs } from '../flows/postgres-sample-outputs';
import { PostgresLiveFeed } from '../live/postgres-live-feed';
import { PostgresLiveUpdates } from '../live/postgres-live-updates';
import { PostgresPiecePackages } from '../pieces/postgres-piece-packages';
import { PostgresBacklog } from '../runs/postgres-backlog';
import { PostgresRunAnswers } from '../runs/postgres-run-answers';
import { PostgresRunNotices } from '../runs/postgres-run-notices';
import { PostgresUnfinishedRuns } from '../runs/postgres-unfinished-runs';
import { PostgresStoreEntries } from '../store/postgres-store-entries';
import { PostgresTriggerEvents } from '../triggers/postgres-trigger-events';
import { PostgresTriggerOperations } from '../triggers/postgres-trigger-operations';
import { PostgresTriggerRenewals } from '../triggers/postgres-trigger-renewals';
import { logOutages } from '../log-outages';
import { openHotPool } from '../postgres/hot-pool';
import { ListeningConnection } from '../postgres/listening-connection';
import { BACKGROUND_POOL, divide, SIDE_WORK_POOL, type SharesOfPool } from '../postgres/pool-share';
import { PostgresSettings } from '../postgres/postgres-settings';
import { ToldTime } from '../postgres/told-time';
import { schemaFits } from '../schema/schema-fit';
import { reportPool } from '../postgres/report-pool';

const TAKES_WRITES = `select current_setting('transaction_read_only') = 'off' as writable`;

/** Whether the database answers in this pool, takes writes, and has the migrations of this release. */
export const databaseChecks = (pool: Pool) => ({
  database: async (): Promise<true | string> => {
    const { rows } = await pool.query<{ writable: boolean }>(TAKES_WRITES);
    return rows[0]?.writable === true || 'it is read-only, as a standby is (transaction_read_only)';
  },
  migrations: (): Promise<true | string> => schemaFits(pool),
});

const SHARES = Symbol('SharesOfPool');

const ports: Provider[] = [
  { provide: AuditLog, useClass: PostgresAuditLog },
  { provide: Backlog, useClass: PostgresBacklog },
  {
    provide: BacklogWatch,
    inject: [Backlog],
    useFactory: (backlog: Backlog) =>
      new BacklogWatch(backlog, new SystemClock(), logOutages(new Logger(BacklogWatch.name))),
  },
  { provide: CodeBundleStore, useClass: PostgresCodeBundleStore },
  { provide: FlowChanges, useClass: PostgresFlowChanges },
  { provide: FlowVersionReader, useClass: PostgresFlowVersionReader },
  { provide: ProjectFlows, useClass: PostgresProjectFlows },
  { provide: LiveFeed, useClass: PostgresLiveFeed },
  { provide: LiveUpdates, useClass: PostgresLiveUpdates },
  { provide: PiecePackages, useClass: PostgresPiecePackages },
  { provide: RunAnswers, useClass: PostgresRunAnswers },
  { provide: RunNotices, useClass: PostgresRunNotices },
  { provide: SampleDataWriter, useClass: PostgresSampleDataWriter },
  { provide: SampleOutputs, useClass: PostgresSampleOutputs },
  { provide: StoreEntries, useClass: PostgresStoreEntries },
  { provide: TriggerEvents, useClass: PostgresTriggerEvents },
  { provide: TriggerOperations, useClass: PostgresTriggerOperations },
  { provide: TriggerRenewals, useClass: PostgresTriggerRenewals },
  { provide: UnfinishedRuns, useClass: PostgresUnfinishedRuns },
];

/**
 * Provides the ports of the hot path and the ports that steps use. Ports that need the queue are in RunIntakeModule and
 * RunExecutionModule; ConnectionValues, which needs a key, is in ConnectionValuesModule. The other ports are in
 * RepositoriesModule, so that only apps that need TypeORM spend the memory and the time to load it. The module is
 * global: an app imports it once. The hot pool and the listening connection connect at their first use.
 */
@Module({})
export class PostgresModule implements OnApplicationShutdown {
  constructor(private readonly hotPool: Pool) {}

  static forRoot(settings: PostgresSettings): DynamicModule {
    const hotPool: Provider = {
      provide: Pool,
      inject: [{ token: Metrics, optional: true }],
      useFactory: (metrics?: Metrics) => {
        const pool = openHotPool(settings, settings.applicationName, settings.connections?.hot);
        if (metrics) reportPool(metrics, 'hot', () => pool);
        return pool;
      },
    };
    return {
      module: PostgresModule,
      global: true,
      providers: [
        { provide: PostgresSettings, useValue: settings },
        hotPool,
        { provide: SHARES, inject: [Pool], useFactory: divide },
        { provide: BACKGROUND_POOL, inject: [SHARES], useFactory: ({ background }: SharesOfPool) => background },
        { provide: SIDE_WORK_POOL, inject: [SHARES], useFactory: ({ sideWork }: SharesOfPool) => sideWork },
        { provide: ListeningConnection, useFactory: () => ListeningConnection.share(settings) },
        ToldTime,
        ...ports,
      ],
      exports: [
        PostgresSettings,
        Pool,
        BACKGROUND_POOL,
        SIDE_WORK_POOL,
        ...ports.map((port) => (port as { provide: Provider['constructor'] }).provide),
      ],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.hotPool.end();
  }
}
