import { InvalidRequestError, isId, storableJson, type JsonText } from '@millrace/domain';

// Reads the headers and the body of a call that runs a flow.

export const PARENT_RUN = 'svc-parent-run-id';
export const FAIL_PARENT = 'svc-fail-parent-on-failure';

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The run that starts another run. */
export interface AskingRun {
  runId: string;
  failOnFailure: boolean;
}

/** Returns null when no run makes the call. Throws InvalidRequestError. */
export function askingRun(headers: RequestHeaders): AskingRun | null {
  const failOnFailure = flagIn(headers);
  const runId = headers[PARENT_RUN];
  if (runId === undefined) return null;
  if (!isId(runId)) throw wrongHeader(PARENT_RUN, 'must be the id of a run.');
  return { runId, failOnFailure };
}

function flagIn(headers: RequestHeaders): boolean {
  const flag = headers[FAIL_PARENT] ?? 'false';
  if (flag !== 'true' && flag !== 'false') throw wrongHeader(FAIL_PARENT, 'must be true or false.');
  return flag === 'true';
}

/** Returns the error for a wrong header. `message` says what is wrong with it. */
export const wrongHeader = (header: string, message: string): InvalidRequestError =>
  new InvalidRequestError([{ path: `/${header}`, message }]);

/** Returns the output of the trigger: the body unchanged, also when it is null; an empty object without a body. */
export const payloadOf = (body: unknown): JsonText => (body === undefined ? '{}' : storableJson(JSON.stringify(body)));
