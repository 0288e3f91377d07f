import { createServer, Packet } from 'dns2';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Records {
  readonly SRV?: { readonly target: string; readonly port: number };
  readonly TXT?: string;
}

/** A name server on this machine, for the SRV and TXT records of names that exist nowhere else. */
export class NameServer {
  readonly asked: string[] = [];

  private constructor(
    private readonly folder: string,
    private readonly close: () => Promise<unknown>,
  ) {}

  static async start(zone: Readonly<Record<string, Records>>): Promise<NameServer> {
    const folder = mkdtempSync(join(tmpdir(), 'name-server-'));
    const server = createServer({
      udp: true,
      handle(request, send) {
        const response = Packet.createResponseFromRequest(request);
        const { name = '', type = 0 } = request.questions[0] ?? {};
        names.asked.push(name);
        const known = zone[name] ?? {};
        const common = { name, type, class: Packet.CLASS.IN, ttl: 0 };
        if (type === Packet.TYPE.SRV && known.SRV)
          response.answers.push(resource({ ...common, ...known.SRV, priority: 0, weight: 0 }));
        if (type === Packet.TYPE.TXT && known.TXT) response.answers.push(resource({ ...common, data: known.TXT }));
        void send(response);
      },
    });
    const names = new NameServer(folder, () => server.close());
    const { udp } = await server.listen({ udp: { port: 0, address: '127.0.0.1' } });
    const asked = JSON.stringify([`127.0.0.1:${udp?.port ?? 0}`]);
    writeFileSync(join(folder, 'asked.cjs'), asking(asked));
    return names;
  }

  /** The variables with which a service asks this server. */
  get environment(): Record<string, string> {
    return { NODE_OPTIONS: `--require=${join(this.folder, 'asked.cjs')}` };
  }

  async stop(): Promise<void> {
    await this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const resource = (fields: object): Packet.Resource => Object.assign(new Packet.Resource(), fields);

/** A module after which every resolver of a process asks these servers. */
const asking = (servers: string): string => `
const { promises } = require('node:dns');
promises.Resolver = class extends promises.Resolver {
  constructor(...options) {
    super(...options);
    this.setServers(${servers});
  }
};`;
