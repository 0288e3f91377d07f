import type { FailedStep, FlowRunStatus, RunEnvironment, TriggerKind } from '@millrace/domain';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The failed step of a run. `fingerprint` is that of the message. */
export interface StoredFailure extends FailedStep {
  fingerprint?: string;
}

/** The row of a run as lists read it. Intake, journal and duties use statements of their own. */
@Entity('flow_run')
export class FlowRunEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'project_id' })
  projectId: string;

  @Column('uuid', { name: 'flow_id' })
  flowId: string;

  @Column('uuid', { name: 'flow_version_id' })
  flowVersionId: string;

  @Column('text')
  status: FlowRunStatus;

  @Column('text')
  environment: RunEnvironment;

  @Column('text', { name: 'triggered_by' })
  triggeredBy: string;

  @Column('text', { name: 'trigger_type' })
  triggerType: TriggerKind;

  @Column('timestamptz', { name: 'start_time', nullable: true })
  startTime: Date | null;

  @Column('timestamptz', { name: 'finish_time', nullable: true })
  finishTime: Date | null;

  @Column('int', { name: 'steps_count' })
  stepsCount: number;

  @Column('json', { name: 'failed_step', nullable: true })
  failedStep: StoredFailure | null;

  @Column('text', { name: 'status_reason', nullable: true })
  statusReason: string | null;

  @Column('text', { array: true })
  tags: string[];

  @Column('timestamptz', { name: 'archived_at', nullable: true })
  archivedAt: Date | null;

  @Column('uuid', { name: 'parent_run_id', nullable: true })
  parentRunId: string | null;

  @Column('boolean', { name: 'fail_parent_on_failure' })
  failParentOnFailure: boolean;

  @Column('uuid', { name: 'retry_of_run_id', nullable: true })
  retryOfRunId: string | null;

  @Column('text', { name: 'test_step', nullable: true })
  testStep: string | null;

  /** When the run was paused; null again after a worker has claimed it. */
  @Column('timestamptz', { name: 'paused_at', nullable: true })
  pausedAt: Date | null;

  @Column('smallint')
  depth: number;

  @Column('timestamptz')
  updated: Date;

  /** TypeORM reads this column only when a query selects it: lists do not need it. */
  @Column('bytea', { nullable: true, select: false })
  payload: Buffer | null;
}
