import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that must get no call. A process that calls it followed a hostile request. */
export interface Canary {
  port: number;
  hits: string[];
  close(): Promise<void>;
}

export async function listenAsCanary(): Promise<Canary> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(`${request.method} ${request.url}`);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    hits,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
