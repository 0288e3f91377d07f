import type { Retention } from '@millrace/domain';

/** The settings of the periodic duties. The class is also their token. */
export abstract class MaintenanceSettings {
  /** A stand-in performs the duties only while no worker lives. */
  abstract readonly standsIn: boolean;
  /** False for a process that takes no part: its queue is not that of the others. */
  abstract readonly leads?: boolean;
  abstract readonly flowTimeoutSeconds: number;
  abstract readonly retention: Retention;
  /** How many days after their end the rows of runs are deleted; 0 keeps them forever. */
  abstract readonly runRetentionDays: number;
  /** How many days the events of the audit log are kept; 0 keeps them forever. */
  abstract readonly auditRetentionDays: number;
}
