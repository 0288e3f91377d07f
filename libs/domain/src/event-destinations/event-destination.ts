import type { Page, PageRequest } from '../page';
import type { EventKind } from './event-kinds';

/** Destinations of one project. Each costs rows and calls for every event. */
export const MAX_EVENT_DESTINATIONS = 20;
export const MAX_DESTINATION_URL_LENGTH = 2_000;

export const EVENT_DESTINATION_STATUSES = ['ENABLED', 'DISABLED'] as const;
export type EventDestinationStatus = (typeof EVENT_DESTINATION_STATUSES)[number];

/** A URL that the events of a project are sent to, without its signing secret. */
export interface EventDestination {
  id: string;
  projectId: string;
  url: string;
  events: EventKind[];
  status: EventDestinationStatus;
  /** Why the service has disabled the destination; null when a person has, or when it is enabled. */
  statusReason: string | null;
  /** Since when the destination has its status. */
  statusSince: Date;
  /** The first failed attempt since the last one that succeeded; null when the last attempt succeeded. */
  failingSince: Date | null;
  created: Date;
  updated: Date;
}

export type EventDestinationChange = Partial<Pick<EventDestination, 'url' | 'events' | 'status'>>;

export const EVENT_DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const;
export type EventDeliveryStatus = (typeof EVENT_DELIVERY_STATUSES)[number];

/** An entry of the deliveries log: one event on its way to one destination. */
export interface EventDelivery {
  id: string;
  /** The id of the event. It is the `webhook-id` of every attempt. */
  eventId: string;
  type: EventKind;
  status: EventDeliveryStatus;
  /** The attempts since the event, or since somebody asked for another delivery. */
  attempts: number;
  /** The HTTP status of the last answer; null when there was none. */
  responseStatus: number | null;
  /** Why the last attempt failed; null when it succeeded or there was none. */
  error: string | null;
  created: Date;
  lastAttempt: Date | null;
  /** Null when no attempt follows. */
  nextAttempt: Date | null;
}

/** Where to send, and with which secret to sign. */
export interface EventTarget {
  projectId: string;
  url: string;
  /** `whsec_…` */
  secret: string;
}

/** The event destinations that people manage. A destination of another project counts as unknown. */
export abstract class EventDestinationRepository {
  /**
   * Resolves when every process reports events to the destination: a change that begins later reaches it. Throws
   * QuotaExceededError when the project has MAX_EVENT_DESTINATIONS.
   */
  abstract insert(destination: EventDestination, secret: string): Promise<void>;
  /** Throws EntityNotFoundError, as the other methods do. */
  abstract get(destinationId: string, projectIds: readonly string[] | 'any'): Promise<EventDestination>;
  abstract target(destinationId: string, projectIds: readonly string[] | 'any'): Promise<EventTarget>;
  /** Lists the destinations, newest first. */
  abstract list(projectId: string, page: PageRequest): Promise<Page<EventDestination>>;
  /** Changes the destination; resolves as `insert` does. Enabling it forgets why it was disabled. */
  abstract change(
    destinationId: string,
    projectIds: readonly string[] | 'any',
    change: EventDestinationChange,
    now: Date,
  ): Promise<EventDestination>;
  /** Deletes the destination with its deliveries. */
  abstract delete(destinationId: string, projectIds: readonly string[] | 'any'): Promise<void>;
  /** Lists the deliveries to the destination, newest first. */
  abstract listDeliveries(
    destinationId: string,
    projectIds: readonly string[] | 'any',
    page: PageRequest,
  ): Promise<Page<EventDelivery>>;
  /** Makes the delivery due at once, with all its attempts before it. Its event keeps its id. */
  abstract redeliver(
    destinationId: string,
    projectIds: readonly string[] | 'any',
    deliveryId: string,
    now: Date,
  ): Promise<EventDelivery>;
}
