import { PayloadTooLargeError } from '@millrace/domain';

/** An answer of the api to this worker. The body is null when it is not JSON. */
export interface ApiAnswer {
  statusCode: number;
  body: unknown;
}

/** Sends JSON to the api. Rejects when no answer comes in time. */
export type PostToApi = (url: string, token: string, body: object) => Promise<ApiAnswer>;

const ANSWERS_WITHIN_MS = 5_000;

/**
 * This call does not take the one way out (docs/adr/0010): the operator has named its target, which may well be inside
 * the network.
 */
export const postToApi: PostToApi = async (url, token, body) => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error', // the token goes nowhere else
    signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
  });
  return { statusCode: answer.status, body: await answer.json().catch(() => null) };
};

/**
 * Reads from the api, and leaves its JSON as it came: a large one would keep the worker busy. What is no JSON is the text
 * `null`. Throws PayloadTooLargeError for an answer that is larger than `mostBytes`.
 */
export async function getFromApi(
  url: string,
  token: string,
  { signal, mostBytes }: { signal: AbortSignal; mostBytes: number },
): Promise<{ statusCode: number; json: Buffer }> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` }, redirect: 'error', signal });
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > mostBytes) throw new PayloadTooLargeError(mostBytes);
    parts.push(part);
  }
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { statusCode: answer.status, json: isJson ? Buffer.concat(parts) : Buffer.from('null') };
}
