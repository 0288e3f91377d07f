import {
  Backlog,
  BacklogCount,
  ChildrenEnded,
  Clock,
  FlowControl,
  FlowControlDuty,
  JobQueue,
  Metrics,
  METRICS,
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
import { Injectable, Optional } from '@nestjs/common';
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
    @Optional() metrics?: Metrics,
  ) {
    const rescuer = new RunRescuer(runs, queue, clock, newId);
    metrics?.report(METRICS.runsRescued, () => rescuer.rescued);
    this.all = [
      new WaitsDue(waits, clock),
      new ChildrenEnded(families, clock),
      new OverdueRuns(runs, journal, events, clock, flowTimeoutSeconds),
      rescuer,
      new BacklogCount(backlog, clock),
      new FlowControlDuty(control, events, clock),
    ];
  }
}
