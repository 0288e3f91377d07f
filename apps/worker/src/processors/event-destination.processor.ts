import { Clock, DestinationSender, DueEvents, OutboundHttp, type MaintenanceJobOf } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import type { MaintenanceProcessor } from './maintenance-processor';

/** Sends the due events of a destination, for one turn. */
@Injectable()
export class EventDestinationProcessor implements MaintenanceProcessor<'EventDestinationJob'> {
  readonly kind = 'EventDestinationJob';
  private readonly sender: DestinationSender;

  constructor(events: DueEvents, http: OutboundHttp, clock: Clock) {
    this.sender = new DestinationSender(events, http, clock);
  }

  process({ rowId, epoch, data }: MaintenanceJobOf<'EventDestinationJob'>, signal: AbortSignal): Promise<void> {
    return this.sender.send({ destinationId: rowId, projectId: data.projectId, epoch }, signal);
  }
}
