import { setTimeout as sleep } from 'node:timers/promises';
import {
  EntityNotFoundError,
  EventDestinationRepository,
  isId,
  MAX_EVENT_DESTINATIONS,
  QuotaExceededError,
  RUN_EVENT_KINDS,
  type EventDelivery,
  type EventDestination,
  type EventDestinationChange,
  type EventTarget,
  type Page,
  type PageRequest,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { readPage } from '../lists/page-cursor';
import { inTransaction, type Queryable } from '../postgres/in-transaction';
import { storableText } from '../postgres/stored-json';
import { SecretBox } from '../secrets/secret-box';
import { TRUSTED_MS } from './destination-watch';
import {
  countDestinations,
  deleteDestination,
  findDestination,
  insertDestination,
  listDeliveries,
  listDestinations,
  redeliver,
  updateDestination,
} from './event-destination.statements';
import { openEventSecret, sealEventSecret } from './sealed-secret';

type ProjectIds = readonly string[] | 'any';

@Injectable()
export class PostgresEventDestinationRepository extends EventDestinationRepository {
  constructor(
    private readonly pool: Pool,
    private readonly box: SecretBox,
  ) {
    super();
  }

  async insert(destination: EventDestination, secret: string): Promise<void> {
    const stored = { ...destination, url: storableText(destination.url) };
    // Before the transaction, which holds a connection of the pool that sealing may need.
    const sealed = await sealEventSecret(this.box, destination, secret);
    await inTransaction(this.pool, async (tx) => {
      const count = await countDestinations(tx, destination.projectId);
      if (count >= MAX_EVENT_DESTINATIONS)
        throw new QuotaExceededError('eventDestinations', MAX_EVENT_DESTINATIONS, count);
      await insertDestination(tx, stored, sealed);
    });
    if (listensToRuns(destination)) await untilAllKnow();
  }

  async get(destinationId: string, projectIds: ProjectIds): Promise<EventDestination> {
    const { secret: _secret, ...destination } = await found(this.pool, destinationId, projectIds);
    return destination;
  }

  async target(destinationId: string, projectIds: ProjectIds): Promise<EventTarget> {
    const { id, projectId, url, secret } = await found(this.pool, destinationId, projectIds);
    return { projectId, url, secret: await openEventSecret(this.box, { id, projectId }, secret) };
  }

  list(projectId: string, page: PageRequest): Promise<Page<EventDestination>> {
    return readPage(page, ['event destinations', projectId], async (slice) =>
      isId(projectId) ? listDestinations(this.pool, projectId, slice) : [],
    );
  }

  async change(
    destinationId: string,
    projectIds: ProjectIds,
    change: EventDestinationChange,
    now: Date,
  ): Promise<EventDestination> {
    const changed = await inTransaction(this.pool, async (tx) => {
      const { secret: _secret, ...current } = await found(tx, destinationId, projectIds, 'for update');
      const destination = applied(current, change, now);
      await updateDestination(tx, destination);
      return destination;
    });
    const { events, status } = change;
    if ((events ?? status) !== undefined && listensToRuns(changed)) await untilAllKnow();
    return changed;
  }

  async delete(destinationId: string, projectIds: ProjectIds): Promise<void> {
    await inTransaction(this.pool, async (tx) => {
      const { id } = await found(tx, destinationId, projectIds, 'for update');
      await deleteDestination(tx, id);
    });
  }

  async listDeliveries(destinationId: string, projectIds: ProjectIds, page: PageRequest): Promise<Page<EventDelivery>> {
    const { id } = await found(this.pool, destinationId, projectIds);
    return readPage(page, ['event deliveries', id], (slice) => listDeliveries(this.pool, id, slice));
  }

  async redeliver(
    destinationId: string,
    projectIds: ProjectIds,
    deliveryId: string,
    now: Date,
  ): Promise<EventDelivery> {
    const { id } = await found(this.pool, destinationId, projectIds);
    const delivery = isId(deliveryId) ? await redeliver(this.pool, id, deliveryId, now) : null;
    if (!delivery) throw new EntityNotFoundError('event_delivery', deliveryId);
    return delivery;
  }
}

const listensToRuns = ({ status, events }: EventDestination): boolean =>
  status === 'ENABLED' && events.some((kind) => RUN_EVENT_KINDS.includes(kind));

/** Afterwards no process trusts an answer from before the change. */
const untilAllKnow = (): Promise<void> => sleep(TRUSTED_MS);

async function found(
  db: Queryable,
  id: string,
  projectIds: ProjectIds,
  lock: '' | 'for update' = '',
): Promise<EventDestination & { secret: Buffer }> {
  const row = isId(id) ? await findDestination(db, id, projectIds, lock) : null;
  if (!row) throw new EntityNotFoundError('event_destination', id);
  return row;
}

function applied(
  current: EventDestination,
  { url, events, status }: EventDestinationChange,
  now: Date,
): EventDestination {
  const destination = {
    ...current,
    url: url === undefined ? current.url : storableText(url),
    events: events ?? current.events,
    updated: now,
  };
  if (status === undefined || status === current.status) return destination;
  return { ...destination, status, statusReason: null, statusSince: now, failingSince: null };
}
