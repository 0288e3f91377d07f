import type { EventDestination } from '../event-destinations/event-destination';
import { anId } from './an-id';

/** An enabled destination that listens to failed runs. */
export function anEventDestination(more: Partial<EventDestination> = {}): EventDestination {
  const at = new Date('2026-01-01T00:00:00.000Z');
  return {
    id: anId(),
    projectId: '0199f000-0000-7000-8000-000000000004',
    url: 'https://events.example/hook',
    events: ['flow_run.failed'],
    status: 'ENABLED',
    statusReason: null,
    statusSince: at,
    failingSince: null,
    created: at,
    updated: at,
    ...more,
  };
}
