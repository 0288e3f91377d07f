import { Module, type DynamicModule } from '@nestjs/common';
import { Clock, SystemClock } from '@millrace/domain';
import { Duties } from '../maintenance/duties';
import { EventDuties } from '../maintenance/event-duties';
import { InstallationMetrics } from '../maintenance/installation-metrics';
import { JobCounts } from '../maintenance/job-counts';
import { LeaderLease } from '../maintenance/leader-lease';
import { MaintenanceSettings } from '../maintenance/maintenance-settings';
import { PieceDuties } from '../maintenance/piece-duties';
import { RunDuties } from '../maintenance/run-duties';
import { StoreDuties } from '../maintenance/store-duties';
import { TriggerDuties } from '../maintenance/trigger-duties';

/**
 * The periodic duties of the installation. The process that holds the leader lease performs them. The module needs
 * PostgresModule, FileStoreModule, RunExecutionModule, EventDeliveryModule, MaintenanceQueueModule and a JobQueue, which are global. Only an app with QueueModule
 * removes finished jobs.
 */
@Module({})
export class MaintenanceModule {
  static forRoot(settings: MaintenanceSettings): DynamicModule {
    return {
      module: MaintenanceModule,
      providers: [
        { provide: MaintenanceSettings, useValue: settings },
        { provide: Clock, useClass: SystemClock },
        LeaderLease,
        JobCounts,
        InstallationMetrics,
        RunDuties,
        StoreDuties,
        EventDuties,
        TriggerDuties,
        PieceDuties,
        Duties,
      ],
    };
  }
}
