import {
  Backlog,
  BacklogCount,
  ChildrenEnded,
  Clock,
  FlowControl,
  FlowControlDuty,
  JobQueue,
  OverdueRuns,
  RunEvents,
  RunFamilies,
  RunJournal,
  RunRescuer,
  RunWaits,
  UnfinishedRuns,
  WaitsDue,
  type Duty,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { newId } from '../postgres/new-id';
import { MaintenanceSettings } from './maintenance-settings';

/** The duties that resume, end or re-enqueue runs and count the backlog. */
@Injectable()
export class RunDuties {
  readonly all: readonly Duty[];

  constructor(
    clock: Clock,
    { flowTimeoutSeconds }: MaintenanceSettings,
    runs: UnfinishedRuns,
    journal: RunJournal,
    events: RunEvents,
    waits: RunWaits,
    families: RunFamilies,
    queue: JobQueue,
    backlog: Backlog,
    control: FlowControl,
  ) {
    this.all = [
      new WaitsDue(waits, clock),
      new ChildrenEnded(families, clock),
      new OverdueRuns(runs, journal, events, clock, flowTimeoutSeconds),
      new RunRescuer(runs, queue, clock, newId),
      new BacklogCount(backlog, clock),
      new FlowControlDuty(control, events, clock),
    ];
  }
}
