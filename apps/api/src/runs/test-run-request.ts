import { InvalidRequestError, isJsonObject, JsonReader, RequestProblems } from '@millrace/domain';

/** What the trigger of a test run gives. Absent: not said; null is a value like any other. */
export interface TestRunRequest {
  payload?: unknown;
}

/** Reads the body of `POST /flows/{id}/test-run`, which may be left out. Throws InvalidRequestError. */
export function parseTestRunRequest(body: unknown): TestRunRequest {
  if (body === undefined || body === null) return {};
  if (!isJsonObject(body)) throw new InvalidRequestError([{ path: '', message: 'must be a JSON object.' }]);
  const reader = new JsonReader(body, '', new RequestProblems());
  const payload = reader.any('payload');
  reader.refuseOthers();
  reader.throwIfWrong();
  return payload === undefined ? {} : { payload };
}
