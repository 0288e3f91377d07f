import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedCall {
  method: string;
  /** The path and the query of the call. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Answers a call, now or later. `earlier` is the number of earlier calls to the same URL. */
export type Answering = (answer: ServerResponse, call: ReceivedCall, earlier: number) => void;

/**
 * A server on this machine that keeps the calls it receives. It answers 200 `{"ok":true}` for a path without its own
 * answer.
 */
export class CalledServer {
  readonly calls: ReceivedCall[] = [];
  private readonly answerings = new Map<string, Answering>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<CalledServer> {
    const server = createServer();
    const called = new CalledServer(server);
    server.on('request', (request, answer) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        called.receive({ method, url, headers, body: Buffer.concat(chunks).toString() }, answer);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return called;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  on(path: string, answering: Answering): void {
    this.answerings.set(path, answering);
  }

  callsTo(path: string): ReceivedCall[] {
    return this.calls.filter(({ url }) => pathOf(url) === path);
  }

  /** Counts the calls of each `Idempotency-Key`. */
  callsByKey(path: string): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { headers } of this.callsTo(path)) {
      const key = String(headers['idempotency-key']);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private receive(call: ReceivedCall, answer: ServerResponse): void {
    const earlier = this.calls.filter(({ url }) => url === call.url).length;
    this.calls.push(call);
    const answering = this.answerings.get(pathOf(call.url)) ?? (() => answerJson(answer, { ok: true }));
    answering(answer, call, earlier);
  }
}

export function answerJson(answer: ServerResponse, body: unknown, status = 200, headers = {}): void {
  answer.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';
