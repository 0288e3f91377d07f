import { RUN_EVENT_KINDS, type EventDestination } from '@millrace/domain';
import { anEventDestination } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { insertDestination } from '../event-destinations/event-destination.statements';

/** Inserts a destination for all events of runs, unless `more` says otherwise. It has no secret. Returns its id. */
export async function seedDestination(
  pool: Pool,
  projectId: string,
  more: Partial<EventDestination> = {},
): Promise<string> {
  const destination = anEventDestination({ projectId, events: [...RUN_EVENT_KINDS], ...more });
  await insertDestination(pool, destination, Buffer.alloc(0));
  return destination.id;
}
