import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { RenderedRequest } from './rendered-request';
import { patience } from '@millrace/e2e-support';

// Sends requests unchanged: no address is normalized, and only the length of the body is added as a header.

export interface Exchange {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  ms: number;
}

/** The connection ended or stayed silent without an answer. */
export class NoAnswerError extends Error {}

const PATIENCE_MS = 10_000 * patience;

/** Sends a request and returns the answer. Throws NoAnswerError. */
export function exchange(
  baseUrl: string,
  { method, path, headers, body }: RenderedRequest,
  patienceMs = PATIENCE_MS,
): Promise<Exchange> {
  const { hostname, port } = new URL(baseUrl);
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { 'Content-Length': body.length };
    const request = httpRequest({ hostname, port, method, path, headers: { ...headers, ...length }, agent: false });
    let answered = false;
    const take = (answer: IncomingMessage) => {
      answered = true;
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('error', (cause) => reject(new NoAnswerError('the answer broke off', { cause })));
      answer.once('end', () => {
        const ms = performance.now() - started;
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(chunks).toString('utf8'),
          ms,
        });
        request.destroy();
      });
    };
    request.once('response', take);
    request.once('connect', (answer, socket) => {
      resolve({
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        body: '',
        ms: performance.now() - started,
      });
      socket.destroy();
    });
    request.setTimeout(patienceMs, () => request.destroy(new Error(`silence for ${patienceMs} ms`)));
    request.on('error', (cause) => {
      if (!answered) reject(new NoAnswerError(cause.message, { cause }));
    });
    request.end(body ?? undefined);
  });
}

/**
 * Writes one of `pieces` every `everyMs` milliseconds until the other side ends the connection. Throws NoAnswerError.
 */
export function rawExchange(
  baseUrl: string,
  pieces: readonly string[],
  { everyMs = 0, patienceMs = PATIENCE_MS } = {},
): Promise<Exchange> {
  const { hostname, port } = new URL(baseUrl);
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const left = [...pieces];
    let text = '';
    let isOut = false;
    const write = () => socket.writable && socket.write(left.shift() ?? 'x', 'latin1');
    socket.once('connect', write);
    const timer = everyMs > 0 ? setInterval(write, everyMs) : undefined;
    const patience = setTimeout(() => {
      isOut = true;
      socket.destroy();
    }, patienceMs);
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
    socket.on('error', () => socket.destroy()); // data before the error counts; 'close' reports a missing answer
    socket.once('close', () => {
      clearInterval(timer);
      clearTimeout(patience);
      const ms = performance.now() - started;
      const answer = parseAnswer(text, ms);
      if (answer) resolve(answer);
      else
        reject(new NoAnswerError(`${isOut ? 'still open' : 'closed'} after ${Math.round(ms / 1_000)} s, unanswered`));
    });
  });
}

function parseAnswer(text: string, ms: number): Exchange | null {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1];
  if (!status) return null;
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(':', 1)[0]?.toLowerCase() ?? '', line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(status), headers, body: rest.join('\r\n\r\n'), ms };
}
