import {
  Clock,
  MaintenanceQueue,
  Polls,
  PollsDue,
  RenewalsDue,
  ScheduledRuns,
  SchedulesDue,
  TriggerOperations,
  TriggerOperationsDue,
  TriggerRenewals,
  type Duty,
} from '@millrace/domain';
import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { PostgresClock } from '../postgres/postgres-clock';
import { BACKGROUND_POOL } from '../postgres/pool-share';
import { ScheduleDayPruning } from './schedule-day-pruning';

/** The duties that do the work of triggers when it is due. */
@Injectable()
export class TriggerDuties {
  readonly all: readonly Duty[];

  constructor(
    clock: Clock,
    @Inject(BACKGROUND_POOL) pool: Pool,
    schedules: ScheduledRuns,
    polls: Polls,
    operations: TriggerOperations,
    renewals: TriggerRenewals,
    queue: MaintenanceQueue,
  ) {
    this.all = [
      new SchedulesDue(schedules, clock),
      new PollsDue(polls, queue),
      new ScheduleDayPruning(pool, new PostgresClock(pool)),
      new TriggerOperationsDue(operations, queue),
      new RenewalsDue(renewals, queue),
    ];
  }
}
