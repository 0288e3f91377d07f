import {
  byLabel,
  Clock,
  DestinationSender,
  DueEvents,
  Metrics,
  METRICS,
  OutboundHttp,
  Tally,
  type AttemptResult,
  type MaintenanceJobOf,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import type { MaintenanceProcessor } from './maintenance-processor';

/** Sends the due events of a destination, for one turn. */
@Injectable()
export class EventDestinationProcessor implements MaintenanceProcessor<'EventDestinationJob'> {
  readonly kind = 'EventDestinationJob';
  private readonly sender: DestinationSender;

  constructor(events: DueEvents, http: OutboundHttp, clock: Clock, metrics: Metrics) {
    const results = new Tally<AttemptResult>(['delivered', 'failed', 'given_up']);
    metrics.report(METRICS.eventDeliveries, () => byLabel('result', results.entries()));
    this.sender = new DestinationSender(events, http, clock, Math.random, results);
  }

  process({ rowId, epoch, data }: MaintenanceJobOf<'EventDestinationJob'>, signal: AbortSignal): Promise<void> {
    return this.sender.send({ destinationId: rowId, projectId: data.projectId, epoch }, signal);
  }
}
