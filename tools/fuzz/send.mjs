/** Sends requests unchanged and waits for their answers. */
import { Agent, request as httpRequest } from 'node:http';

const SILENCE_MS = 10_000;

export function senderTo(baseUrl, connections) {
  const { hostname, port } = new URL(baseUrl);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const send = ({ method, path, headers, body }) => exchange({ hostname, port, agent, method, path, headers }, body);
  return {
    send,
    /**
     * Sends a well-formed request with a valid key.
     * @param {{ method: string, path: string, key: string, body?: object }} request
     */
    call: ({ method, path, key, body }) =>
      send({
        method,
        path,
        headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
        body: body ? JSON.stringify(body) : null,
      }),
    close: () => agent.destroy(),
  };
}

/**
 * @returns {Promise<{ status: number, headers: object, text: string, ms: number, cut?: string }>} `cut` says why there
 * is no answer
 */
function exchange(options, body) {
  const started = performance.now();
  const ended = () => Math.round(performance.now() - started);
  return new Promise((resolve) => {
    const cut = (error) => resolve({ status: 0, headers: {}, text: '', ms: ended(), cut: error.message });
    const bytes = body === null ? null : Buffer.from(body);
    const headers = { ...options.headers, ...(bytes && { 'content-length': bytes.length }) };
    const request = httpRequest({ ...options, headers }, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.once('error', cut);
      answer.once('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text: Buffer.concat(chunks).toString('utf8'),
          ms: ended(),
        }),
      );
    });
    request.setTimeout(SILENCE_MS, () => request.destroy(new Error(`silence for ${SILENCE_MS} ms`)));
    request.once('error', cut);
    request.end(bytes ?? undefined);
  });
}
