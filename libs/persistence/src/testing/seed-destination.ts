import { RUN_EVENT_KINDS, type EventDestination } from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { insertDestination } from '../event-destinations/event-destination.statements';

/** Inserts a destination for all events of runs, unless `more` says otherwise. It has no secret. Returns its id. */
export async function seedDestination(
  pool: Pool,
  projectId: string,
  more: Partial<EventDestination> = {},
): Promise<string> {
  const id = anId();
  const now = new Date();
  const destination: EventDestination = {
    id,
    projectId,
    url: 'https://events.example/hook',
    events: [...RUN_EVENT_KINDS],
    status: 'ENABLED',
    statusReason: null,
    statusSince: now,
    failingSince: null,
    created: now,
    updated: now,
    ...more,
  };
  await insertDestination(pool, destination, Buffer.alloc(0));
  return id;
}
