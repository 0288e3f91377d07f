import type { FinalRunStatus } from '../run-status';

/** What an event destination can listen to. */
export const EVENT_KINDS = [
  'flow.created',
  'flow.updated',
  'flow.published',
  'flow.enabled',
  'flow.disabled',
  'flow.deleted',
  'flow_run.started',
  'flow_run.paused',
  'flow_run.resumed',
  'flow_run.succeeded',
  'flow_run.failed',
  'flow_run.stopped',
  'flow_run.timed_out',
  'connection.upserted',
  'connection.deleted',
  'project_member.added',
  'project_member.removed',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const RUN_EVENT_KINDS: readonly EventKind[] = EVENT_KINDS.filter((kind) => kind.startsWith('flow_run.'));

export const KIND_OF_ENDING: Readonly<Record<FinalRunStatus, EventKind>> = {
  SUCCEEDED: 'flow_run.succeeded',
  FAILED: 'flow_run.failed',
  INTERNAL_ERROR: 'flow_run.failed',
  QUOTA_EXCEEDED: 'flow_run.failed',
  STOPPED: 'flow_run.stopped',
  TIMEOUT: 'flow_run.timed_out',
};

/** The type of the event that `POST /event-destinations/:id/test` sends. */
export const TEST_EVENT_TYPE = 'event_destination.test';
