import { RUN_STATUSES, type Run, type RunStatus } from '../run-status/run-words';

// The filters of the list of runs are in the address, under the names that the API gives them.

export interface RunFilters {
  flowId?: string;
  status?: RunStatus[];
  createdAfter?: string;
  createdBefore?: string;
  environment?: Run['environment'];
  tags?: string[];
  failedStepName?: string;
  /** Of the message with which runs failed, as the groups of failures name it. */
  fingerprint?: string;
  /** What paused runs wait for. */
  waitingOn?: WaitKind;
  flowRunIds?: string[];
  /** The run that started them. */
  parentRunId?: string;
  /** The run that they retry or rerun. */
  retryOfRunId?: string;
  includeArchived?: boolean;
}

export const WAIT_KINDS = ['human', 'timer', 'child'] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

export const ENVIRONMENTS = ['PRODUCTION', 'TESTING'] as const satisfies Run['environment'][];

/** Returns the filters of an address. What the API would not know is left out. */
export function filtersOf(search: URLSearchParams): RunFilters {
  const text = (name: string) => search.get(name) || undefined;
  const status = list(search, 'status').filter((each): each is RunStatus => RUN_STATUSES.some((one) => one === each));
  return {
    flowId: text('flowId'),
    status: unlessEmpty(status),
    createdAfter: moment(text('createdAfter')),
    createdBefore: moment(text('createdBefore')),
    environment: ENVIRONMENTS.find((each) => each === search.get('environment')),
    tags: unlessEmpty(list(search, 'tags')),
    failedStepName: text('failedStepName'),
    fingerprint: text('fingerprint'),
    waitingOn: WAIT_KINDS.find((each) => each === search.get('waitingOn')),
    flowRunIds: unlessEmpty(list(search, 'flowRunIds')),
    parentRunId: text('parentRunId'),
    retryOfRunId: text('retryOfRunId'),
    includeArchived: search.get('includeArchived') === 'true' ? true : undefined,
  };
}

/** Returns the address after one filter was set to these values, or taken away. It begins at the first page again. */
export function withFilter(search: URLSearchParams, name: string, values: readonly string[]): URLSearchParams {
  const after = new URLSearchParams(search);
  after.delete('cursor');
  after.delete(name);
  for (const value of values) if (value !== '') after.append(name, value);
  return after;
}

/** Returns the address without filters. The project stays. */
export function withoutFilters(search: URLSearchParams): URLSearchParams {
  const projectId = search.get('projectId');
  return new URLSearchParams(projectId === null ? {} : { projectId });
}

export const isFiltered = (search: URLSearchParams): boolean =>
  Object.values(filtersOf(search)).some((value) => value !== undefined);

/** The parts of a text that are separated by commas or spaces. */
export const listedIn = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '');

const list = (search: URLSearchParams, name: string): string[] => [...new Set(search.getAll(name).flatMap(listedIn))];

const unlessEmpty = <T>(values: T[]): T[] | undefined => (values.length === 0 ? undefined : values);

const moment = (value: string | undefined): string | undefined =>
  value === undefined || Number.isNaN(Date.parse(value)) ? undefined : value;
