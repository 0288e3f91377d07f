import { InvalidRequestError, isId, storableJson, type JsonText } from '@millrace/domain';

// What a call that runs a flow says in its headers and its body.

export const PARENT_RUN = 'svc-parent-run-id';
export const FAIL_PARENT = 'svc-fail-parent-on-failure';

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The run that asks for another one. */
export interface AskingRun {
  runId: string;
  failOnFailure: boolean;
}

/** Null when no run asks. Throws InvalidRequestError. */
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

/** `message`: how the header is wrong. */
export const wrongHeader = (header: string, message: string): InvalidRequestError =>
  new InvalidRequestError([{ path: `/${header}`, message }]);

/** The output of the trigger: the body as it is, null too; without a body an empty object. */
export const payloadOf = (body: unknown): JsonText => (body === undefined ? '{}' : storableJson(JSON.stringify(body)));
