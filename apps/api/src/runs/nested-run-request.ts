import { InvalidRequestError, isId, storableJson, type JsonText } from '@millrace/domain';

// Reads the headers and the body of a call that runs a flow.

export const PARENT_RUN = {
  name: 'svc-parent-run-id',
  required: false,
  description: 'The id of the parent run, an unfinished run of the same project.',
  schema: { type: 'string' },
} as const;

export const FAIL_PARENT = {
  name: 'svc-fail-parent-on-failure',
  required: false,
  description: 'When `true`, the parent run fails unless this run ends as `SUCCEEDED`.',
  schema: { type: 'string', enum: ['true', 'false'] as string[], default: 'false' },
} as const;

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The run that starts another run. */
export interface AskingRun {
  runId: string;
  failOnFailure: boolean;
}

/** Returns null when no run makes the call. Throws InvalidRequestError. */
export function askingRun(headers: RequestHeaders): AskingRun | null {
  const failOnFailure = flagIn(headers);
  const runId = headers[PARENT_RUN.name];
  if (runId === undefined) return null;
  if (!isId(runId)) throw wrongHeader(PARENT_RUN, 'must be the id of a run.');
  return { runId, failOnFailure };
}

function flagIn(headers: RequestHeaders): boolean {
  const flag = headers[FAIL_PARENT.name] ?? FAIL_PARENT.schema.default;
  if (typeof flag !== 'string' || !FAIL_PARENT.schema.enum.includes(flag))
    throw wrongHeader(FAIL_PARENT, 'must be true or false.');
  return flag === 'true';
}

/** Returns the error for a wrong header. `message` says what is wrong with it. */
export const wrongHeader = ({ name }: { name: string }, message: string): InvalidRequestError =>
  new InvalidRequestError([{ path: `/${name}`, message }]);

/** Returns the output of the trigger: the body unchanged, also when it is null; an empty object without a body. */
export const payloadOf = (body: unknown): JsonText => (body === undefined ? '{}' : storableJson(JSON.stringify(body)));
