import type {
  ChangedFlow,
  FlowRunStatus,
  JsonText,
  LiveChanges,
  StatusCounts,
  StepResultStatus,
} from '@millrace/domain';

// What processes tell each other about live updates, as notifications of PostgreSQL.

/** Clients of a process watch something, or no longer do. */
export const WATCHED = 'live_watched';
/** A process asks all others what their clients watch. */
export const ASKED = 'live_asked';
/** Something that clients watch has changed. */
export const CHANGED = 'live_changed';

/** Sends notifications; none of them is worth the wait for the disk. */
export const NOTIFY = `
  select pg_notify($1, payload), set_config('synchronous_commit', 'off', true) from unnest($2::text[]) as payload`;

/** An element is dropped when it is larger than this; only a very long path of a step is. */
const ELEMENT_BYTES = 4_000;

type Element =
  | ['run', id: string]
  | ['unplaced', id: string, status?: FlowRunStatus]
  | ['step', runId: string, path: string, status: StepResultStatus, duration: number]
  | ['project', projectId: string, counts: StatusCounts, runIds: readonly string[]]
  | ['flow', ChangedFlow];

/** Writes changes as the elements of payloads. */
export function elementsOf({ runIds, unplaced, steps, projects, flows }: LiveChanges): JsonText[] {
  const elements: Element[] = [
    ...runIds.map((id): Element => ['run', id]),
    ...unplaced.map(({ id, status }): Element => (status ? ['unplaced', id, status] : ['unplaced', id])),
    ...steps.map((step): Element => ['step', step.runId, step.path, step.status, step.duration]),
    ...projects.map((of): Element => ['project', of.projectId, of.counts, of.runIds]),
    ...flows.map((flow): Element => ['flow', flow]),
  ];
  return elements.map((element) => JSON.stringify(element)).filter((text) => Buffer.byteLength(text) <= ELEMENT_BYTES);
}

/** Reads a payload of `elementsOf`. Elements that a later version of the service may send are passed over. */
export function changesIn(payload: string): LiveChanges {
  const elements = JSON.parse(payload) as Element[];
  const of = <Kind extends Element[0]>(kind: Kind) =>
    elements.filter((element): element is Extract<Element, [Kind, ...unknown[]]> => element[0] === kind);
  return {
    runIds: of('run').map(([, id]) => id),
    unplaced: of('unplaced').map(([, id, status]) => ({ id, ...(status && { status }) })),
    steps: of('step').map(([, runId, path, status, duration]) => ({ runId, path, status, duration })),
    projects: of('project').map(([, projectId, counts, runIds]) => ({ projectId, counts, runIds })),
    flows: of('flow').map(([, flow]) => ({ ...flow, updated: new Date(flow.updated) })),
  };
}
