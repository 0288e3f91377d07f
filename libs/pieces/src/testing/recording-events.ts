import { NamedEvents, type EventSource, type NamedEvent } from '@millrace/domain';

/** Keeps every event. Each starts two runs. */
export class RecordingEvents extends NamedEvents {
  readonly published: { event: NamedEvent; source: EventSource }[] = [];

  override async publish(event: NamedEvent, source: EventSource): Promise<number> {
    this.published.push({ event, source });
    return 2;
  }
}
