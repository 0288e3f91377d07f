import { Logger, Module, type DynamicModule } from '@nestjs/common';
import {
  AppEvents,
  BadEndings,
  FlowControl,
  LiveUpdates,
  Metrics,
  NamedEvents,
  Polls,
  TriggerRequests,
  RunEvents,
  RunFamilies,
  RunJournal,
  RunMeters,
  RunNotices,
  RunWaits,
  ScheduledRuns,
} from '@millrace/domain';
import { PostgresFlowControl } from '../flow-control/postgres-flow-control';
import { ENQUEUE_PATIENCE, EnqueuePatience } from '../runs/best-effort-enqueue';
import type { ClaimedRuns } from '../queue/claimed-runs';
import { PostgresAppEvents } from '../app-events/postgres-app-events';
import { PostgresNamedEvents } from '../named-events/postgres-named-events';
import { LoggedBadEndings } from '../runs/logged-bad-endings';
import { ParentObservers, PostgresRunFamilies } from '../runs/postgres-run-families';
import { PostgresRunJournal, RunJournalOptions } from '../runs/postgres-run-journal';
import { PostgresRunWaits } from '../runs/postgres-run-waits';
import { PostgresScheduledRuns } from '../triggers/postgres-scheduled-runs';
import { RunsInTransaction } from '../runs/runs-in-transaction';
import { PostgresPolls } from '../triggers/postgres-polls';
import { PostgresTriggerRequests } from '../triggers/postgres-trigger-requests';

export interface RunExecutionSettings {
  /** How long a run may be paused. */
  pausedLimitDays?: number;
  /** How long a call that resumes a run or starts a child waits for the queue. */
  queueDeadlineMs?: number;
  /** The runs that claims of jobs have loaded already. */
  claimedRuns?: ClaimedRuns;
}

/**
 * Provides RunJournal, RunWaits, RunFamilies, RunEvents, FlowControl, RunsInTransaction, NamedEvents and ScheduledRuns
 * for an app that executes runs or looks after them. It needs PostgresModule and the queue's module, which are global.
 * It is global: an app imports it once.
 */
@Module({})
export class RunExecutionModule {
  static forRoot({ pausedLimitDays, queueDeadlineMs, claimedRuns }: RunExecutionSettings): DynamicModule {
    const patience: EnqueuePatience = {
      ...ENQUEUE_PATIENCE,
      ...(queueDeadlineMs !== undefined && { deadlineMs: queueDeadlineMs }),
    };
    return {
      module: RunExecutionModule,
      global: true,
      providers: [
        {
          provide: RunJournalOptions,
          inject: [LiveUpdates, RunMeters],
          useFactory: (live: LiveUpdates, meters: RunMeters): RunJournalOptions => ({
            pausedLimitDays,
            patience,
            claimedRuns,
            live,
            meters,
          }),
        },
        {
          provide: RunMeters,
          inject: [{ token: Metrics, optional: true }],
          useFactory: (metrics?: Metrics) => {
            const meters = new RunMeters();
            if (metrics) meters.reportEndings(metrics);
            return meters;
          },
        },
        { provide: EnqueuePatience, useValue: patience },
        { provide: BadEndings, useClass: LoggedBadEndings },
        { provide: RunJournal, useClass: PostgresRunJournal },
        { provide: RunWaits, useClass: PostgresRunWaits },
        ParentObservers,
        { provide: RunFamilies, useClass: PostgresRunFamilies },
        { provide: FlowControl, useClass: PostgresFlowControl },
        RunsInTransaction,
        { provide: AppEvents, useClass: PostgresAppEvents },
        { provide: NamedEvents, useClass: PostgresNamedEvents },
        { provide: Polls, useClass: PostgresPolls },
        { provide: TriggerRequests, useClass: PostgresTriggerRequests },
        { provide: ScheduledRuns, useClass: PostgresScheduledRuns },
        {
          provide: RunEvents,
          inject: [RunFamilies, RunNotices, LiveUpdates, BadEndings],
          useFactory: (families: RunFamilies, notices: RunNotices, live: LiveUpdates, endings: BadEndings) => {
            const logger = new Logger(RunEvents.name);
            return new RunEvents(families, notices, (msg, runId) => logger.warn({ msg, runId }), live, endings);
          },
        },
      ],
      exports: [
        RunJournal,
        RunWaits,
        RunFamilies,
        RunEvents,
        RunMeters,
        FlowControl,
        RunsInTransaction,
        AppEvents,
        NamedEvents,
        Polls,
        TriggerRequests,
        ScheduledRuns,
      ],
    };
  }
}
