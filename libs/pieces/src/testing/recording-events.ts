import { NamedEvents, type EventSource, type NamedEvent, type StoredTexts } from '@millrace/domain';

/** Keeps every event. Each starts two runs. */
export class RecordingEvents extends NamedEvents {
  readonly published: { event: NamedEvent; source: EventSource; texts?: StoredTexts }[] = [];

  override async publish(event: NamedEvent, source: EventSource, texts?: StoredTexts): Promise<number> {
    this.published.push(texts ? { event, source, texts } : { event, source });
    return 2;
  }
}
