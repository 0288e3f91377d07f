import { commonContext, propsValueOf } from './call-context';
import { filesOf } from './call-files';
import { authFor, type ContextVersion } from './context-version';
import { OPENING, type ActionRequest, type Ask } from './requests';

/** What the action told of its run beside its output. */
export interface RunMarks {
  /** What the run does after the step. */
  ending: 'goesOn' | 'stops' | 'waits';
  waitId?: string;
  /** The answer for the caller of the webhook. */
  response?: unknown;
  tags: string[];
}

interface WaitRequest {
  readonly type: 'DELAY' | 'WEBHOOK';
  readonly resumeDateTime?: string;
  readonly responseToSend?: unknown;
}

interface UrlParts {
  readonly queryParams?: Record<string, string>;
  readonly sync?: boolean;
}

/** Makes the context of an action. `settled` is what must be done before the step ends. */
export function actionContext(ask: Ask, request: ActionRequest, version: ContextVersion) {
  const marks: RunMarks = { ending: 'goesOn', tags: [] };
  const settled: Promise<unknown>[] = [];
  const after = <T>(work: Promise<T>): Promise<T> => {
    settled.push(work);
    work.catch(() => undefined); // the call fails with it when the action has returned
    return work;
  };
  const context = {
    ...commonContext(ask, request, version),
    auth: authFor(request.auth, version),
    propsValue: propsValueOf(request, version),
    executionType: request.resumedBy === undefined ? 'BEGIN' : 'RESUME',
    resumePayload: request.resumedBy,
    files: filesOf(ask),
    output: { update: (progress: { data: unknown }) => ask('output.update', progress.data ?? null) },
    tags: { add: ({ name }: { name: string }) => Promise.resolve(void marks.tags.push(String(name))) },
    run: {
      id: request.runId,
      stop: (given?: { response?: unknown }) =>
        Object.assign(marks, { ending: 'stops', response: given?.response ?? {} }),
      respond: (given?: { response?: unknown }) => Object.assign(marks, { response: given?.response ?? {} }),
      ...(version < 2 ? { pause: pauseOf(ask, request, marks, after) } : waitsOf(ask, marks, after)),
    },
    ...(version < 2 ? { generateResumeUrl: resumeUrlOf(ask, request, after) } : {}),
    ...(version === 0 ? { serverUrl: request.publicUrl } : {}),
  };
  return { context, marks, settled };
}

type After = <T>(work: Promise<T>) => Promise<T>;

/** Waits of context 2: the wait is written before its URL is known. */
function waitsOf(ask: Ask, marks: RunMarks, after: After) {
  return {
    createWaitpoint: (wanted: WaitRequest) => after(createWait(ask, wanted, marks)),
    waitForWaitpoint: (id: string) => void Object.assign(marks, { ending: 'waits', waitId: String(id) }),
  };
}

async function createWait(ask: Ask, wanted: WaitRequest, marks: RunMarks) {
  if (wanted.responseToSend !== undefined) marks.response = wanted.responseToSend;
  const made = (await ask('waits.create', waitOf(wanted))) as { id: string; resumeUrl: string };
  return { ...made, buildResumeUrl: (parts: UrlParts) => withQuery(made.resumeUrl, parts) };
}

/** Waits of context 0 and 1: the package may have given the URL away before it says that it waits. */
function pauseOf(ask: Ask, request: ActionRequest, marks: RunMarks, after: After) {
  return ({ pauseMetadata }: { pauseMetadata: WaitRequest & { response?: unknown } }): void => {
    const { type, resumeDateTime, response } = pauseMetadata;
    if (response !== undefined) marks.response = response;
    Object.assign(marks, { ending: 'waits', waitId: request.waitId });
    void after(ask('waits.create', { ...waitOf({ type, resumeDateTime }), id: request.waitId }));
  };
}

/** Packages write times in several forms. */
const waitOf = ({ type, resumeDateTime }: Pick<WaitRequest, 'type' | 'resumeDateTime'>) => ({
  type,
  ...(resumeDateTime === undefined ? {} : { resumeDateTime: new Date(resumeDateTime).toISOString() }),
});

/** The package has the URL at once, and may give it away: the worker lets nothing out until the URL works. */
const resumeUrlOf = (ask: Ask, { publicUrl, runId, waitId }: ActionRequest, after: After) => {
  let opening: Promise<unknown> | undefined;
  return (parts: UrlParts): string => {
    opening ??= after(ask(OPENING));
    return withQuery(`${publicUrl}v1/flow-runs/${runId}/requests/${waitId}`, parts);
  };
};

function withQuery(address: string, { queryParams = {}, sync }: UrlParts = {}): string {
  const url = new URL(sync ? `${address}/sync` : address);
  url.search = new URLSearchParams(queryParams).toString();
  return url.href;
}
