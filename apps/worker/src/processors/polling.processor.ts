import {
  Clock,
  BoundedLines,
  byLabel,
  FlowVersionReader,
  Metrics,
  METRICS,
  PollRunner,
  Polls,
  PollSource,
  Tally,
  type MaintenanceJobOf,
  type PollResult,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { WORKER_CONFIG, type WorkerConfig } from '../settings/config';
import { MaintenanceProcessor } from './maintenance-processor';

const MOST_LINES_A_SECOND = 5;

/** Polls for a flow whose trigger is due. */
@Injectable()
export class PollingProcessor extends MaintenanceProcessor<'PollingJob'> {
  readonly kind = 'PollingJob';
  private readonly runner: PollRunner;

  constructor(
    polls: Polls,
    versions: FlowVersionReader,
    source: PollSource,
    clock: Clock,
    @Inject(WORKER_CONFIG) { SVC_POLLING_INTERVAL_MINUTES: everyMinutes }: WorkerConfig,
    metrics: Metrics,
  ) {
    super();
    const results = new Tally<PollResult>(['succeeded', 'failed', 'refused']);
    metrics.report(METRICS.polls, () => byLabel('result', results.entries()));
    const failed = linesOfFailedPolls(new Logger('Polls'));
    this.runner = new PollRunner(polls, versions, source, {
      everyMinutes,
      now: () => clock.now(),
      newId,
      random: Math.random,
      results,
      failed,
    });
  }

  override process({ rowId, epoch }: MaintenanceJobOf<'PollingJob'>, signal: AbortSignal): Promise<void> {
    return this.runner.run({ flowId: rowId, epoch }, signal);
  }
}

function linesOfFailedPolls(logger: Logger): (poll: object) => void {
  const lines = new BoundedLines<object>(
    {
      write: (poll) => logger.warn({ msg: 'The source of a poll failed.', ...poll }),
      leftOut: (leftOut) => logger.warn({ msg: 'Further polls failed within this second.', leftOut }),
    },
    MOST_LINES_A_SECOND,
  );
  return (poll) => lines.add(poll);
}
