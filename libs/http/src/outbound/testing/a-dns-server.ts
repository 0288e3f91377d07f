import { createServer, Packet } from 'dns2';
import { promises as dns } from 'node:dns';

/** A DNS record in the form of the case file. */
export type DnsRecord = readonly [type: 'A' | 'AAAA' | 'CNAME', value: string];

export interface TestDns {
  /** Where it listens, as `address:port`. */
  readonly address: string;
  /** Sets the records of a name. Each look-up gets the next of several answers, and the last one from then on. */
  set(name: string, ...answers: (readonly DnsRecord[])[]): void;
  /** Resolves a name by this server only. */
  readonly lookup: (host: string) => Promise<readonly { address: string }[]>;
  /** How often the name was looked up. */
  lookupsOf(name: string): number;
  close(): Promise<void>;
}

/**
 * Starts a name server on loopback, for names that exist nowhere else. It is silent about names with `silent`, and about
 * records that are `SILENT`.
 */
export async function aDnsServer(): Promise<TestDns> {
  const zone = new Map<string, (readonly DnsRecord[])[]>();
  const lookups = new Map<string, number>();
  const lookupsOf = (name: string): number => lookups.get(name) ?? 0;
  const recordsOf = (name: string): readonly DnsRecord[] => {
    const answers = zone.get(name) ?? [];
    return answers[Math.max(0, Math.min(lookupsOf(name), answers.length) - 1)] ?? [];
  };

  const server = createServer({
    udp: true,
    handle(request, send) {
      const question = request.questions[0];
      const records = recordsOf(question?.name ?? '');
      const isSilent = records.some(([kind, value]) => value === 'SILENT' && TYPES[kind] === question?.type);
      if (isSilent || question?.name.includes('silent')) return;
      const response = Packet.createResponseFromRequest(request);
      response.answers.push(...resourcesOf(question?.name ?? '', question?.type, recordsOf));
      void send(response);
    },
  });
  const listening = await server.listen({ udp: { port: 0, address: '127.0.0.1' } });
  const resolver = new dns.Resolver({ timeout: 1_000, tries: 1 });
  const address = `127.0.0.1:${listening.udp?.port ?? 0}`;
  resolver.setServers([address]);

  return {
    address,
    set: (name, ...answers) => {
      zone.set(name, answers);
      lookups.set(name, 0);
    },
    async lookup(host) {
      lookups.set(host, lookupsOf(host) + 1);
      const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      return found
        .flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
        .map((address) => ({ address }));
    },
    lookupsOf,
    close: () => server.close().then(() => undefined),
  };
}

const TYPES = { A: Packet.TYPE.A, AAAA: Packet.TYPE.AAAA, CNAME: Packet.TYPE.CNAME };

type RecordsOf = (name: string) => readonly DnsRecord[];

/** Returns the records of a name of one type, following its aliases. */
const resourcesOf = (name: string, type: number | undefined, recordsOf: RecordsOf): Packet.Resource[] =>
  recordsOf(name).flatMap(([kind, value]) => {
    const own = { name, type: TYPES[kind], class: Packet.CLASS.IN, ttl: 0 };
    if (kind === 'CNAME') return [aResource({ ...own, domain: value }), ...resourcesOf(value, type, recordsOf)];
    return TYPES[kind] === type ? [aResource({ ...own, address: kind === 'AAAA' ? inGroups(value) : value })] : [];
  });

const aResource = (fields: object): Packet.Resource => Object.assign(new Packet.Resource(), fields);

/** dns2 cannot write an IPv6 address that ends in dotted form. */
const inGroups = (address: string): string => new URL(`http://[${address}]`).hostname.slice(1, -1);
