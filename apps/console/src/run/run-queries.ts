import { queryOptions } from '@tanstack/react-query';
import { errorOf, isPassing, UnreachableError } from '../api/api-error';
import { answerOf, GET, POST, type Schemas } from '../api/client';
import type { Step } from '../flow-picture/step';
import { isUnfinished } from '../run-status/run-words';
import { stepsOfVersion, type VersionStep } from './rerun-choices';
import { readParts, type StepSummary } from './run-parts';
import { withFailedTrigger } from './step-results';

export type RunDetail = Schemas['FlowRunDetail'];
export type RerunRequest = Schemas['RerunRequest'];
export type Strategy = Schemas['RetryRun']['strategy'];

/** How often an unfinished run is looked at again, while its page is visible. */
const RUNNING_MS = 1_000;
const SELDOM_MS = 3_000;
/** Nobody tells that a run was deleted, and what is told may be lost. */
const HEARD_MS = 10_000;

/** A run whose steps are larger is read in parts. 10,000 iterations that do little are smaller, and come faster so. */
const MOST_WHOLE_BYTES = 4_000_000;
/** While a run goes on, each of its states is soon replaced by the next. */
const REPLACED_SOON_MS = 30_000;
/** The most that a page of a list may have. */
const MOST_STEPS_AT_ONCE = 100;

/** `isHeard` says that somebody tells when the run changes, so that it is asked for less often. */
export const runQuery = (id: string, isHeard = false) =>
  queryOptions({
    queryKey: ['run', id],
    queryFn: ({ signal }) => readRun(id, { maxStepsBytes: MOST_WHOLE_BYTES }, signal),
    refetchInterval: ({ state: { data, error } }) => {
      if (isHeard && !error) return data !== undefined && isUnfinished(data) && HEARD_MS;
      if (data?.status === 'RUNNING') return RUNNING_MS;
      return (data?.status === 'PAUSED' || isPassing(error)) && SELDOM_MS;
    },
  });

const readRun = async (id: string, query: { maxStepsBytes?: number }, signal: AbortSignal) =>
  withFailedTrigger(await answerOf(GET('/api/v1/flow-runs/{id}', { params: { path: { id }, query }, signal })));

/** The run with all of its steps, however large they are. */
export const wholeRunQuery = ({ id, updated }: RunDetail) =>
  queryOptions({
    queryKey: ['run', id, 'whole', updated],
    queryFn: ({ signal }) => readRun(id, {}, signal),
    staleTime: Infinity,
    structuralSharing: false, // large
  });

/** As much of a large run as is shown when these places are chosen. It is read again when the run has gone on. */
export const runPartsQuery = (run: RunDetail, chosen: readonly string[]) =>
  queryOptions({
    queryKey: ['run', run.id, 'parts', run.updated, chosen],
    queryFn: ({ client }) => readParts(chosen, (place) => client.fetchQuery(stepsAtQuery(run, place))),
    staleTime: Infinity,
    gcTime: REPLACED_SOON_MS,
    structuralSharing: false, // has as many members as there are iterations
  });

const stepsAtQuery = ({ id, updated }: RunDetail, place: string) =>
  queryOptions({
    queryKey: ['run', id, 'steps', updated, place],
    queryFn: async ({ signal }) => {
      const found: StepSummary[] = [];
      const query = { path: place, limit: MOST_STEPS_AT_ONCE };
      for (let cursor: string | null | undefined; cursor !== null;) {
        const params = { path: { id }, query: { ...query, cursor } };
        const page = await answerOf(GET('/api/v1/flow-runs/{id}/steps', { params, signal }));
        found.push(...page.data);
        cursor = page.next;
      }
      return found;
    },
    staleTime: Infinity,
    gcTime: REPLACED_SOON_MS,
  });

/** What one step was given, gave and wrote. */
export const runStepQuery = ({ id, updated }: RunDetail, path: string) =>
  queryOptions({
    queryKey: ['run', id, 'step', updated, path],
    queryFn: ({ signal }) =>
      answerOf(GET('/api/v1/flow-runs/{id}/steps/{path}', { params: { path: { id, path } }, signal })),
    staleTime: Infinity,
  });

/** What each step did in all iterations together. */
export const stepTotalsQuery = ({ id, updated }: RunDetail) =>
  queryOptions({
    queryKey: ['run', id, 'totals', updated],
    queryFn: async ({ signal }) => {
      const params = { path: { id } };
      return (await answerOf(GET('/api/v1/flow-runs/{id}/step-totals', { params, signal }))).data;
    },
    staleTime: Infinity,
  });

/** The newest run of the same flow that succeeded before a run; null when there is none. */
export const lastGoodRunQuery = ({ id, projectId, flowId, environment, created }: RunDetail) =>
  queryOptions({
    queryKey: ['run', id, 'last-good'],
    queryFn: async ({ signal }) => {
      const status = ['SUCCEEDED' as const];
      const query = { projectId, flowId, environment, status, createdBefore: created, includeArchived: true, limit: 1 };
      const { data } = await answerOf(GET('/api/v1/flow-runs', { params: { query }, signal }));
      return data[0] ?? null;
    },
  });

/** How another run is related to this one: it was started by it, or retries it. */
export type Relation = 'parentRunId' | 'retryOfRunId';
const MOST_RELATED = 3;

/** The newest runs that this run started, or that retry it. */
export const relatedRunsQuery = (run: RunDetail, relation: Relation) =>
  queryOptions({
    queryKey: ['run', run.id, 'related', relation],
    queryFn: ({ signal }) => {
      const query = { ...relatedTo(run, relation), limit: MOST_RELATED };
      return answerOf(GET('/api/v1/flow-runs', { params: { query }, signal }));
    },
    refetchInterval: isUnfinished(run) && HEARD_MS,
  });

/** The filter of the list of runs for the runs that are related to this one. */
export const relatedTo = ({ id, projectId }: RunDetail, relation: Relation) => ({
  ...{ projectId, includeArchived: true },
  ...(relation === 'parentRunId' ? { parentRunId: id } : { retryOfRunId: id }),
});

export interface RunVersion {
  created: string;
  isDraft: boolean;
  /** The steps in the order of the version, the trigger first. */
  steps: VersionStep[];
  /** The whole of it. */
  trigger: Step;
}

/** The version that a run executed. */
export const runVersionQuery = (flowId: string, versionId: string) =>
  queryOptions({
    queryKey: ['run-version', flowId, versionId],
    queryFn: async ({ signal }): Promise<RunVersion> => {
      const params = { path: { id: flowId }, query: { versionId } };
      const { version } = await answerOf(GET('/api/v1/flows/{id}', { params, signal }));
      const trigger = version.trigger as Step;
      const { created, state } = version;
      return { created, isDraft: state === 'DRAFT', trigger, steps: stepsOfVersion(trigger) };
    },
    staleTime: Infinity, // only a draft changes, and names of a moment ago will do
  });

/** What a link to a file shows. Its host is the public one of the service, which the page may not call. */
export const fileAddress = (url: string): string => {
  const { pathname, search } = new URL(url, window.location.href);
  return pathname + search;
};

export const outputFileQuery = ({ id, url }: Schemas['OutputFile']) =>
  queryOptions({
    queryKey: ['output-file', id], // each answer of the API signs another link to the same file
    queryFn: async ({ signal }): Promise<unknown> => {
      const response = await fetch(fileAddress(url), { signal }).catch((cause: unknown) => {
        throw new UnreachableError({ cause });
      });
      const body: unknown = await response.json();
      if (!response.ok) throw errorOf(response, body);
      return body;
    },
    staleTime: Infinity,
    structuralSharing: false, // large, and never asked for twice
  });

/** How many runs a cancellation would stop. */
export const cancelPlanQuery = ({ id, projectId }: RunDetail) =>
  queryOptions({
    queryKey: ['run', id, 'cancel-plan'],
    queryFn: () => answerOf(POST('/api/v1/flow-runs/cancel', { body: { projectId, flowRunIds: [id], dryRun: true } })),
    gcTime: 0,
  });

export const cancelRun = ({ id, projectId }: RunDetail) =>
  answerOf(POST('/api/v1/flow-runs/cancel', { body: { projectId, flowRunIds: [id], dryRun: false } }));

/** Retries a run, and returns the new one. */
export const retryRun = ({ id, projectId }: RunDetail, strategy: Strategy) =>
  answerOf(POST('/api/v1/flow-runs/{id}/retry', { params: { path: { id } }, body: { projectId, strategy } }));

/** Which steps with an effect a rerun would execute. */
export const rerunPlanQuery = (id: string, request: RerunRequest) =>
  queryOptions({
    queryKey: ['run', id, 'rerun-plan', request],
    queryFn: async () => (await rerun(id, { ...request, dryRun: true })) as Schemas['RerunPlan'],
    gcTime: 0,
    retry: false,
  });

/** Runs again, and returns the new run. */
export const rerunRun = async (id: string, request: RerunRequest) =>
  (await rerun(id, { ...request, dryRun: false })) as Schemas['FlowRun'];

const rerun = (id: string, body: RerunRequest) =>
  answerOf<Schemas['RerunPlan'] | Schemas['FlowRun']>(
    POST('/api/v1/flow-runs/{id}/rerun', { params: { path: { id } }, body }),
  );

/** Takes the data of the run as the sample data of its flow. */
export const takeAsSamples = ({ id, flowId }: RunDetail) =>
  answerOf(POST('/api/v1/flows/{id}/sample-data', { params: { path: { id: flowId } }, body: { fromRunId: id } }));
