import { MAINTENANCE_QUEUE, RUN_QUEUE, type JobKind, type MaintenanceJobKind } from '@millrace/domain';
import type { AllQueues } from './all-queues';
import type { MaintenancePayload } from './bullmq-maintenance-queue';
import { ListenedQueue } from './listened-queue';
import { queueOptions, useQueueStore } from './queue-connection';
import type { QueueSettings } from './queue-settings';
import type { RunJobData } from './run-queue';

export function openNow(settings: QueueSettings): AllQueues {
  useQueueStore(settings);
  const options = queueOptions(settings);
  const runs = new ListenedQueue<RunJobData, void, JobKind>(RUN_QUEUE, options);
  const maintenance = new ListenedQueue<MaintenancePayload, void, MaintenanceJobKind>(MAINTENANCE_QUEUE, options);
  return {
    runs,
    maintenance,
    close: async () => void (await Promise.allSettled([runs.close(), maintenance.close()])),
  };
}
