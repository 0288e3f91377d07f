import type { MaintenanceJobKind, MaintenanceJobOf } from '@millrace/domain';

/**
 * Executes one kind of job of the maintenance queue. There is one class for each kind, listed in
 * `maintenance-processors.ts`.
 */
export abstract class MaintenanceProcessor<Kind extends MaintenanceJobKind = MaintenanceJobKind> {
  abstract readonly kind: Kind;
  /**
   * Does the work, and settles the row of the job in one transaction that names the epoch. Rejects only for trouble of
   * this service, such as a lost database: the queue then tries the job again. A job may be delivered twice. `signal`
   * aborts when the worker stops; the claim of the row then runs out, and another worker does the work.
   */
  abstract process(job: MaintenanceJobOf<Kind>, signal: AbortSignal): Promise<void>;
}
