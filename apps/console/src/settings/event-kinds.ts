import type { EventKind } from './destination-queries';

/** What a destination can be told, by what it is about. */
export const EVENT_KINDS = [
  'flow_run.started',
  'flow_run.paused',
  'flow_run.resumed',
  'flow_run.succeeded',
  'flow_run.failed',
  'flow_run.stopped',
  'flow_run.timed_out',
  'flow.created',
  'flow.updated',
  'flow.published',
  'flow.enabled',
  'flow.disabled',
  'flow.deleted',
  'connection.upserted',
  'connection.deleted',
  'project_member.added',
  'project_member.removed',
] as const satisfies EventKind[];

/** What a new destination is told unless the person chooses otherwise. */
export const USUAL_EVENTS: readonly EventKind[] = ['flow_run.failed', 'flow_run.timed_out'];
