import {
  InvalidRequestError,
  isJsonObject,
  JsonReader,
  optional,
  RequestProblems,
  shapeOf,
  type JsonSchema,
  type Member,
} from '@millrace/domain';
import { anyJsonSchema } from '../rest/any-json';

/** The output of the trigger in a test run. An absent `payload` means that the request names none; null is a value. */
export interface TestRunRequest {
  payload?: unknown;
}

/** Reads the body of `POST /flows/{id}/test-run`, which may be left out. Throws InvalidRequestError. */
export function parseTestRunRequest(body: unknown): TestRunRequest {
  if (body === undefined || body === null) return {};
  if (!isJsonObject(body)) throw new InvalidRequestError([{ path: '', message: 'must be a JSON object.' }]);
  const reader = new JsonReader(body, '', new RequestProblems());
  const request = REQUEST.read(reader);
  reader.refuseOthers();
  reader.throwIfWrong();
  return request;
}

const PAYLOAD: Member<unknown> = {
  read: (reader, name) => reader.any(name),
  schema: {
    ...anyJsonSchema({ nullable: true, example: { body: { order: 1042 } } }),
    description: 'The output of the trigger. Default: the sample data of the trigger.',
  },
};

const REQUEST = shapeOf({ payload: optional(PAYLOAD) });

/** The schema of the body. */
export const TEST_RUN_SCHEMA: JsonSchema = REQUEST.schema;
