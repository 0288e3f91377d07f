import { FLOW_RUN_STATUSES, MAINTENANCE_QUEUE, RUN_QUEUE, type FlowRunStatus } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';

const QUEUES = [RUN_QUEUE, MAINTENANCE_QUEUE] as const;

/** How many jobs of the queue of runs are in each state. */
export class QueueCountsDto {
  /** Those with a priority are included. */
  waiting: number;
  active: number;
  completed: number;
  failed: number;
  delayed: number;
  /** The waiting jobs, while the queue is paused. */
  paused: number;
}

/** The runs that were accepted and have not begun, as they were counted last. */
export class QueueBacklogDto {
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  measuredAt: Date | null;

  /** Those that a worker may begin. */
  @ApiProperty({ type: 'integer' })
  runs: number;

  /** Those that the control of their flow holds. */
  @ApiProperty({ type: 'integer' })
  held: number;

  /** The size of the payloads of both together. */
  @ApiProperty({ type: 'integer' })
  bytes: number;

  /** Since when the run that has waited longest may begin; null when none waits. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  oldest: Date | null;
}

export class RetriedJobDto {
  id: string;
  state: 'waiting';
}

/** A run of a failed job that still exists. */
export class RunOfJobDto {
  id: string;
  projectId: string;
  flowId: string;
  flowVersionId: string;

  @ApiProperty({ enum: FLOW_RUN_STATUSES })
  status: FlowRunStatus;
}

/** What a failed job of background work was about. */
export class SubjectOfJobDto {
  /** The id of the trigger's flow, of the event destination, or of the trigger operation. */
  id: string;
  projectId: string;
  flowVersionId: string | null;
}

/** A job that the queue has given up. */
export class FailedJobDto {
  id: string;

  @ApiProperty({ enum: QUEUES })
  queue: (typeof QUEUES)[number];
  kind: string;

  failedAt: Date | null;

  /** How often a worker tried it. */
  attempts: number;

  /** The error of the last attempt, with secrets masked. */
  reason: string;

  /** What becomes of the work of the job, and what an operator can do. */
  whatToDo: string;

  /** The runs that the job carried; empty for background work. */
  runs: RunOfJobDto[];

  /** What the job was about, if it was background work. */
  subject: SubjectOfJobDto | null;
}

export class FailedJobsDto {
  data: FailedJobDto[];
}
