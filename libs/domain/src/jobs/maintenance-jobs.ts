import type { TriggerKind } from '../trigger-kind';

export const MAINTENANCE_QUEUE = 'maintenance';

/** Stands for the project of what belongs to the whole installation. */
export const NO_PROJECT = '00000000-0000-0000-0000-000000000000';

/** What each kind of job says about its work, besides the row that it is about. */
export interface MaintenanceJobData {
  /** Asks another service for new items. */
  PollingJob: { flowVersionId: string; projectId: string; triggerType: TriggerKind };
  /** Renews what a trigger has registered at another service. */
  RenewWebhookJob: { flowVersionId: string; projectId: string };
  /** Sends the events that are due to a destination. */
  EventDestinationJob: { projectId: string };
  /** Calls the hooks of a trigger because its flow was enabled or disabled, or because somebody tests it. */
  TriggerHookJob: { flowVersionId: string; projectId: string };
  /** Answers a question about a package of a piece, for which somebody waits. */
  PieceQuestionJob: { projectId: string };
  /** Installs a package of a piece, which is of no project. */
  PieceInstallationJob: { projectId: typeof NO_PROJECT };
}

export type MaintenanceJobKind = keyof MaintenanceJobData;

/**
 * A job about one row of the database, which is the truth. `epoch` is the number of the row's claim: a job changes
 * nothing when somebody has claimed the row since.
 */
export interface MaintenanceJobOf<Kind extends MaintenanceJobKind> {
  kind: Kind;
  rowId: string;
  epoch: number;
  data: MaintenanceJobData[Kind];
}

export type MaintenanceJob = { [Kind in MaintenanceJobKind]: MaintenanceJobOf<Kind> }[MaintenanceJobKind];

/** The unique id of the job in its queue. */
export const maintenanceJobId = ({ kind, rowId, epoch }: MaintenanceJob): string => `${kind}_${rowId}_${epoch}`;
