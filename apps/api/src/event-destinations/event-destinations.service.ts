import {
  Clock,
  eventBody,
  EventDestinationRepository,
  newEventSecret,
  OutboundHttp,
  sendEvent,
  TEST_EVENT_TYPE,
  UnreadableSecretError,
  type EventDelivery,
  type EventDestination,
  type Page,
  type Principal,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import { pageOf, type PagedQueryDto, type ProjectPagedQueryDto } from '../rest/paged-query.dto';
import { DestinationUrls } from './destination-urls';
import type {
  ChangeEventDestinationDto,
  CreatedEventDestinationDto,
  CreateEventDestinationDto,
  EventTestDto,
} from './event-destination.dto';

/** Manages the event destinations of projects, and tests them. */
@Injectable()
export class EventDestinationsService {
  constructor(
    private readonly destinations: EventDestinationRepository,
    private readonly access: ProjectAccess,
    private readonly urls: DestinationUrls,
    private readonly http: OutboundHttp,
    private readonly clock: Clock,
  ) {}

  async list(principal: Principal, query: ProjectPagedQueryDto): Promise<Page<EventDestination>> {
    const projectId = await this.access.projectOf(principal, query.projectId);
    return this.destinations.list(projectId, pageOf(query));
  }

  async create(principal: Principal, body: CreateEventDestinationDto): Promise<CreatedEventDestinationDto> {
    const projectId = await this.access.projectOf(principal, body.projectId);
    await this.urls.assertAllowed(body.url);
    const [now, secret] = [this.clock.now(), newEventSecret()];
    const destination: EventDestination = {
      id: newId(),
      projectId,
      url: body.url,
      events: [...new Set(body.events)],
      status: 'ENABLED',
      statusReason: null,
      statusSince: now,
      failingSince: null,
      created: now,
      updated: now,
    };
    await this.destinations.insert(destination, secret);
    return { ...destination, secret };
  }

  read(principal: Principal, id: string): Promise<EventDestination> {
    return this.destinations.get(id, principal.projectIds);
  }

  async change(principal: Principal, id: string, body: ChangeEventDestinationDto): Promise<EventDestination> {
    const { url, events, status } = body;
    if (url !== undefined) await this.urls.assertAllowed(url);
    const change = { url, events: events && [...new Set(events)], status };
    return this.destinations.change(id, principal.projectIds, change, this.clock.now());
  }

  delete(principal: Principal, id: string): Promise<void> {
    return this.destinations.delete(id, principal.projectIds);
  }

  async test(principal: Principal, id: string): Promise<EventTestDto> {
    const target = await this.destinations.target(id, principal.projectIds).catch(asProblem);
    if (target instanceof UnreadableSecretError) return { delivered: false, status: null, error: target.message };
    const [eventId, now] = [newId(), this.clock.now()];
    const { projectId } = target;
    const data = JSON.stringify({ eventDestinationId: id });
    const body = eventBody({ id: eventId, type: TEST_EVENT_TYPE, created: now, projectId, data });
    const { isDelivered, status, error } = await sendEvent(this.http, target, { eventId, body }, now);
    return { delivered: isDelivered, status, error };
  }

  listDeliveries(principal: Principal, id: string, query: PagedQueryDto): Promise<Page<EventDelivery>> {
    return this.destinations.listDeliveries(id, principal.projectIds, pageOf(query));
  }

  redeliver(principal: Principal, id: string, deliveryId: string): Promise<EventDelivery> {
    return this.destinations.redeliver(id, principal.projectIds, deliveryId, this.clock.now());
  }
}

/** A test tells its caller that the secret cannot be read. */
function asProblem(error: unknown): UnreadableSecretError {
  if (error instanceof UnreadableSecretError) return error;
  throw error;
}
