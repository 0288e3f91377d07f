/** One request over Node's own client: `fetch` would cost the launcher, which lives as long as the service, 11 MB. */
import { request } from 'node:http';

/** Resolves with `{ status, text }`; rejects when there is no answer in time. */
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
