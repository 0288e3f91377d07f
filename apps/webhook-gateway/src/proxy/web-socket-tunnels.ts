import { endConnection, refuseWebSocket, type RefusedAnswers } from '@millrace/http';
import { ServiceUnavailableError } from '@millrace/domain';
import { request as askPlainly, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as askSecurely } from 'node:https';
import type { Duplex } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import type { ForwardedHeaders } from './forwarded-headers';
import { endToEnd } from './hop-by-hop';

/**
 * Passes requests for a WebSocket on to the api. A request that the api accepts becomes a tunnel. For a request that it
 * refuses, the client gets the api's answer.
 */
export class WebSocketTunnels {
  private readonly open = new Set<Duplex>();

  private readonly api: RequestOptions;

  constructor(
    apiUrl: string,
    private readonly toApi: ForwardedHeaders,
    private readonly refused: RefusedAnswers,
  ) {
    this.api = { ...urlToHttpOptions(new URL(apiUrl)), agent: false };
  }

  /** Passes the address on unchanged. The request goes to the api, even if the address names another host. */
  take(request: IncomingMessage, client: Duplex, head: Buffer): void {
    const headers = { ...this.toApi(request), connection: 'Upgrade', upgrade: 'websocket' };
    const ask = this.api.protocol === 'https:' ? askSecurely : askPlainly;
    const asked = ask({ ...this.api, path: request.url, headers });
    client.on('error', () => asked.destroy());
    client.once('close', () => asked.destroy());
    asked.on('upgrade', (answer, api, firstBytes) => {
      client.write(headOf(answer, { connection: 'Upgrade', upgrade: 'websocket' }));
      client.write(firstBytes);
      api.write(head);
      this.connect(client, api);
    });
    asked.on('response', (answer) => {
      client.write(headOf(answer, { connection: 'close' }));
      answer.pipe(client, { end: false });
      answer.once('close', () => endConnection(client));
    });
    asked.on('error', (cause) => refuseWebSocket(client, notAvailable(cause), this.refused));
    asked.end();
  }

  close(): void {
    for (const socket of this.open) endConnection(socket);
  }

  private connect(client: Duplex, api: Duplex): void {
    this.open.add(client);
    client.once('close', () => {
      this.open.delete(client);
      api.destroy();
    });
    api.once('error', () => client.destroy());
    api.once('close', () => endConnection(client));
    client.pipe(api).pipe(client);
  }
}

function headOf({ statusCode, statusMessage, headers }: IncomingMessage, hop: Record<string, string>): string {
  const lines = Object.entries({ ...endToEnd(headers), ...hop }).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => `${name}: ${each}`),
  );
  return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines, '', ''].join('\r\n');
}

const notAvailable = (cause: Error): ServiceUnavailableError =>
  new ServiceUnavailableError('The api is starting or not available; try again later.', 2, { cause });
