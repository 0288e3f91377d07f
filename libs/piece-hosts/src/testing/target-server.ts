import type { AddressInfo, Server } from 'node:net';
import type { ResolveTarget } from '../way-out/way-out';

/** Servers of a test, to which hosts are led. */
export class TargetServers {
  private readonly servers: Server[] = [];

  async listening<S extends Server>(server: S): Promise<S> {
    this.servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  close(): void {
    for (const server of this.servers.splice(0)) server.close();
  }
}

/** Leads every host to this server, and keeps what was asked for. */
export function leadingTo(server: Server): { resolve: ResolveTarget; asked: string[] } {
  const asked: string[] = [];
  const { port } = server.address() as AddressInfo;
  const resolve: ResolveTarget = (host, wanted) => {
    asked.push(`${host}:${wanted}`);
    return Promise.resolve([{ address: '127.0.0.1', port }]);
  };
  return { resolve, asked };
}
