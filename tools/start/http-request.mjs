/** Sends one request with the `http` module. `fetch` would cost the launcher 11 MB for as long as the service runs. */
import { request } from 'node:http';

/**
 * Resolves with `{ status, text }`. Rejects when no answer comes within `timeoutMs`.
 * @param {string} url
 * @param {{ method?: string, headers?: Record<string, string>, body?: string, timeoutMs: number }} options
 */
export function httpRequest(url, { method = 'GET', headers = {}, body, timeoutMs }) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, signal: AbortSignal.timeout(timeoutMs) }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => (text += chunk));
      answer.once('error', reject);
      answer.once('end', () => resolve({ status: answer.statusCode, text }));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
