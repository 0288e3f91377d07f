import { MaintenanceQueue } from '@millrace/domain';
import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { LazyMaintenanceQueue } from '../queue/lazy-maintenance-queue';
import type { QueueSettings } from '../queue/queue-settings';

/**
 * Provides MaintenanceQueue, by which an app enqueues background work. The first job loads and connects the queue. It is
 * global: an app imports it once.
 */
@Module({})
export class MaintenanceQueueModule implements OnApplicationShutdown {
  constructor(private readonly queue: LazyMaintenanceQueue) {}

  static forRoot(settings: QueueSettings): DynamicModule {
    return {
      module: MaintenanceQueueModule,
      global: true,
      providers: [
        {
          provide: LazyMaintenanceQueue,
          useFactory: () =>
            new LazyMaintenanceQueue(async () =>
              (await import('../queue/open-maintenance-queue')).openMaintenanceQueue(settings),
            ),
        },
        { provide: MaintenanceQueue, useExisting: LazyMaintenanceQueue },
      ],
      exports: [MaintenanceQueue, LazyMaintenanceQueue],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.queue.close();
  }
}
