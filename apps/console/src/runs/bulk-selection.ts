import { type RunStatus } from '../run-status/run-words';
import type { RunFilters } from './run-filters';

// What a person selected in the list, and which runs of it an action is asked for. How many of them really qualify is
// the API's to say, by a dry run.

export type BulkAction = 'retry' | 'cancel' | 'archive';

export type Selection =
  | { kind: 'chosen'; ids: readonly string[] }
  /** All that match, on other pages too. Runs made after `until` are left out, so that the plan stays true. */
  | { kind: 'matching'; filters: RunFilters; until: string };

type Body = Omit<RunFilters, 'includeArchived' | 'waitingOn'>;

const UNFINISHED = ['RUNNING', 'PAUSED'] as const satisfies RunStatus[];
const ENDED = ['SUCCEEDED', 'FAILED', 'STOPPED', 'TIMEOUT', 'QUOTA_EXCEEDED', 'INTERNAL_ERROR'] as const;

/** The statuses that the API takes for an action. */
export const ACTS_ON = { retry: ENDED, cancel: UNFINISHED, archive: ENDED } as const satisfies Record<
  BulkAction,
  readonly RunStatus[]
>;

/**
 * Whether "all that match" can be said to the API in a bulk call. Ids there stand for themselves, whatever the other
 * filters say, and it does not ask what a run waits for.
 */
export const canActOnMatching = ({ flowRunIds, waitingOn }: RunFilters): boolean =>
  flowRunIds === undefined && waitingOn === undefined;

/** Returns the selection of a bulk call; null when the action does not apply to any run of it. */
export function bulkBody<A extends BulkAction>(action: A, selection: Selection) {
  if (selection.kind === 'chosen') return selection.ids.length === 0 ? null : { flowRunIds: [...selection.ids] };
  const { filters, until } = selection;
  if (!canActOnMatching(filters)) return null;
  if (action === 'cancel' && hasFailed(filters)) return null;
  const status = filters.status && ACTS_ON[action].filter((each) => filters.status?.some((chosen) => chosen === each));
  if (status?.length === 0) return null;
  return { ...filtersOfCall(filters), status, createdBefore: earlier(filters.createdBefore, until) } as Body & {
    status?: (typeof ACTS_ON)[A][number][];
  };
}

/** Whether only failed runs match, which have ended. A cancellation does not have these filters, and would mean more. */
const hasFailed = ({ failedStepName, fingerprint }: RunFilters): boolean =>
  failedStepName !== undefined || fingerprint !== undefined;

const filtersOfCall = ({ includeArchived: _, waitingOn: __, ...filters }: RunFilters): Body => filters;

const earlier = (one: string | undefined, other: string): string =>
  one !== undefined && Date.parse(one) < Date.parse(other) ? one : other;
