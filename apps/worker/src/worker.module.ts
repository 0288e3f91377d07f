import { Injectable, Module, type DynamicModule } from '@nestjs/common';
import { HealthModule, ReadinessChecks } from '@millrace/http';
import {
  ClaimedRuns,
  databaseAddress,
  databaseChecks,
  fileSettings,
  EventDeliveryModule,
  FileStoreModule,
  IntakeGateModule,
  intakeSettings,
  keyRing,
  MaintenanceModule,
  MaintenanceQueueModule,
  PostgresModule,
  QueueModule,
  QueueProbe,
  queueSettings,
  RunExecutionModule,
  SecretsModule,
} from '@millrace/persistence';
import { Pool } from 'pg';
import { Heartbeat, HeartbeatOptions } from './registration/heartbeat';
import { sharesQueue } from './registration/until-registered';
import type { Welcome } from './registration/worker-registration';
import { queueOf, workerConnections, type WorkerConfig } from './settings/config';
import { RunningModule } from './running.module';

/** A worker without its queue gets no runs. */
@Injectable()
class WorkerReadiness extends ReadinessChecks {
  readonly needed;

  constructor(pool: Pool, queue: QueueProbe) {
    super();
    this.needed = { ...databaseChecks(pool), queue: () => queue.answers() };
  }
}

/** The worker takes jobs, executes runs, and performs periodic duties such as rescuing unfinished runs. */
@Module({})
export class WorkerModule {
  static forRoot(config: WorkerConfig, heartbeat: HeartbeatOptions, welcome: Pick<Welcome, 'queue'>): DynamicModule {
    const claimedRuns = new ClaimedRuns();
    const connections = workerConnections(config);
    const queue = queueSettings(config, connections.queue);
    return {
      module: WorkerModule,
      imports: [
        PostgresModule.forRoot({ ...databaseAddress(config), applicationName: 'millrace worker', connections }),
        SecretsModule.forRoot(keyRing(config)),
        EventDeliveryModule,
        FileStoreModule.forRoot(fileSettings(config)),
        IntakeGateModule.forRoot(intakeSettings(config)),
        QueueModule.forRoot(queue),
        MaintenanceQueueModule.forRoot(queue),
        RunExecutionModule.forRoot({ pausedLimitDays: config.SVC_PAUSED_FLOW_TIMEOUT_DAYS, claimedRuns }),
        HealthModule.forRoot(WorkerReadiness),
        RunningModule.forRoot(config, claimedRuns),
        MaintenanceModule.forRoot({
          standsIn: false,
          leads: sharesQueue(welcome, queueOf(config)),
          flowTimeoutSeconds: config.SVC_FLOW_TIMEOUT_SECONDS,
          retention: {
            days: config.SVC_EXECUTION_DATA_RETENTION_DAYS,
            hours: config.SVC_EXECUTION_DATA_RETENTION_HOURS,
          },
          runRetentionDays: config.SVC_RUN_RETENTION_DAYS,
          auditRetentionDays: config.SVC_AUDIT_RETENTION_DAYS,
        }),
      ],
      providers: [{ provide: HeartbeatOptions, useValue: heartbeat }, Heartbeat],
    };
  }
}
