import { InvalidRequestError, isJsonObject, JsonReader, RequestProblems } from '@millrace/domain';

/** The output of the trigger in a test run. An absent `payload` means that the request names none; null is a value. */
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
