import type { Page, PageRequest } from '../page';

/** How many events of a flow are kept. */
export const MOST_TRIGGER_EVENTS = 10;

/** What a trigger got while its flow was built: a request to its test URLs, or an item that its test found. */
export interface TriggerEvent {
  id: string;
  flowId: string;
  /** What the trigger's output is for this event. */
  payload: unknown;
  created: Date;
}

/** Reads the last events of triggers. SampleDataWriter keeps them. */
export abstract class TriggerEvents {
  /** Lists the events of a flow, newest first. */
  abstract list(flowId: string, page: PageRequest): Promise<Page<TriggerEvent>>;
}
