import { FlowVersionReader, PollRunner, Polls, PollSource, type MaintenanceJobOf } from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Inject, Injectable } from '@nestjs/common';
import { WORKER_CONFIG, type WorkerConfig } from '../settings/config';
import { MaintenanceProcessor } from './maintenance-processor';

/** Polls for a flow whose trigger is due. */
@Injectable()
export class PollingProcessor extends MaintenanceProcessor<'PollingJob'> {
  readonly kind = 'PollingJob';
  private readonly runner: PollRunner;

  constructor(
    polls: Polls,
    versions: FlowVersionReader,
    source: PollSource,
    @Inject(WORKER_CONFIG) { SVC_POLLING_INTERVAL_MINUTES: everyMinutes }: WorkerConfig,
  ) {
    super();
    this.runner = new PollRunner(polls, versions, source, { everyMinutes, newId, random: Math.random });
  }

  override process({ rowId, epoch }: MaintenanceJobOf<'PollingJob'>, signal: AbortSignal): Promise<void> {
    return this.runner.run({ flowId: rowId, epoch }, signal);
  }
}
