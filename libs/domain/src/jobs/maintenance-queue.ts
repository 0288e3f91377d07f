import type { MaintenanceJob } from './maintenance-jobs';

// The queue of background work. It only carries work: it delivers at least once and may lose jobs. The row of a job
// says what is to be done, and a periodic duty enqueues a row again whose job was lost.
export abstract class MaintenanceQueue {
  /**
   * Resolves when the queue has the jobs; rejects when the queue has not taken them within its deadline. A job that the
   * queue knows already, by kind, row and epoch, changes nothing. The jobs of one project stand behind one another (see
   * `placesInMaintenanceQueue`), so a duty should enqueue what is due in one call.
   */
  abstract enqueue(jobs: readonly MaintenanceJob[]): Promise<void>;
}
