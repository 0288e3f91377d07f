import type { StoredTexts } from '../connections/referring-texts';
import type { JsonText } from '../json/json-text';

// Named events connect flows: whoever publishes an event does not know which flows it starts. Each enabled flow of the
// project whose trigger is `events.on_event` of its name, and whose filter it passes, gets one run.

export const MAX_EVENT_NAME_LENGTH = 200;
export const MAX_EVENT_ID_LENGTH = 255;

export interface NamedEvent {
  /** An event of the same name and id within 24 h is the same event. */
  id: string;
  name: string;
  data: JsonText;
}

/** Who publishes an event. */
export interface EventSource {
  projectId: string;
  triggeredBy: string;
  /** How many runs led to this event, one by the other. Absent for an event from outside. */
  depth?: number;
}

export abstract class NamedEvents {
  /**
   * Starts all runs of the event by one commit. `texts` hides the values of connections in what is stored. Resolves with the number of new runs: 0 for a repeated event. Throws
   * RunTooDeepError when too many runs led to the event one by the other, InvalidRequestError when more flows listen
   * than one commit can start with the event, and the errors of intake.
   */
  abstract publish(event: NamedEvent, source: EventSource, texts?: StoredTexts): Promise<number>;
}

/** The output of the trigger `on_event`, as JSON text. */
export const eventOutput = ({ id, name, data }: NamedEvent, created: Date): JsonText =>
  `{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"data":${data},"created":${JSON.stringify(created)}}`;
