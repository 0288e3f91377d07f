import { lookup } from 'node:dns/promises';
import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { candidates, HostNames, hostsIn, searchRulesIn } from './host-names';
import { aDnsServer, type DnsRecord, type TestDns } from './testing/a-dns-server';

const NEVER = new AbortController().signal;
let folder: string;
let dns: TestDns;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'names-'));
  dns = await aDnsServer();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await dns.close();
});

function namesWith(hosts = '', resolver = ''): HostNames {
  const [hostsFile, resolverFile] = [join(folder, 'hosts'), join(folder, 'resolv.conf')];
  writeFileSync(hostsFile, hosts);
  writeFileSync(resolverFile, resolver);
  return new HostNames({ hostsFile, resolverFile, servers: [dns.address] });
}

async function addressesOf(names: HostNames, name: string): Promise<string> {
  const found = await names.addresses(name, NEVER).catch(({ code }: { code: string }) => [{ address: code }]);
  return found.map(({ address }) => address).join(' ');
}

describe('the names of hosts', () => {
  it('are those of the name servers, of both families', async () => {
    const both: DnsRecord[] = [
      ['A', '1.1.1.1'],
      ['AAAA', '2606:4700::1'],
    ];
    dns.set('both.example', both);
    dns.set('four.example', [['A', '1.1.1.2']]);

    expect(await addressesOf(namesWith(), 'both.example')).toBe('1.1.1.1 2606:4700::1');
    expect(await addressesOf(namesWith(), 'four.example')).toBe('1.1.1.2');
    expect(await addressesOf(namesWith(), 'none.example')).toMatch(/^ENODATA|ENOTFOUND$/);
  });

  it('are those of one family where the servers never answer about the other', async () => {
    dns.set('four-only.example', [
      ['A', '1.1.1.3'],
      ['AAAA', 'SILENT'],
    ]);

    const found = await namesWith().addresses('four-only.example', AbortSignal.timeout(5_000));

    expect(found).toEqual([{ address: '1.1.1.3' }]);
  });

  it('are those of the file of hosts alone where it has them, also after a change of the file', async () => {
    dns.set('api.example', [['A', '1.1.1.1']]);
    const names = namesWith('10.0.0.1 API.example other # a note\n::1 api.example\n');

    expect(await addressesOf(names, 'api.EXAMPLE')).toBe('10.0.0.1 ::1');
    expect(await addressesOf(names, 'other')).toBe('10.0.0.1');
    writeFileSync(join(folder, 'hosts'), '');
    expect(await addressesOf(names, 'api.example')).toBe('1.1.1.1');
  });

  it('are looked for in the domains to search', async () => {
    dns.set('db.prod.example', [['A', '10.0.0.2']]);
    dns.set('db', []);
    const names = namesWith('', 'search staging.example prod.example\noptions ndots:1\n');

    expect(await addressesOf(names, 'db')).toBe('10.0.0.2');
    expect(await addressesOf(names, 'db.')).toMatch(/^ENODATA|ENOTFOUND$/);
  });

  it('are, for localhost, those that the system finds', async () => {
    const system = await lookup('localhost', { all: true, family: 4 });

    expect(await addressesOf(new HostNames(), 'localhost')).toContain(system.map(({ address }) => address).join(' '));
    expect(await addressesOf(namesWith(), 'localhost')).toBe('127.0.0.1 ::1');
  });

  it('come at once however many others wait for servers that are silent, and what waits ends at once', async () => {
    const names = namesWith();
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const waiting = Array.from({ length: 50 }, async (_, n) => names.addresses(`${n}.silent.example`, stop.signal));
    dns.set('quick.example', [['A', '1.1.1.1']]);

    const began = performance.now();
    expect(await addressesOf(names, 'quick.example')).toBe('1.1.1.1');
    expect(performance.now() - began).toBeLessThan(2_000);

    stop.abort();
    const endings = await Promise.allSettled(waiting);
    expect(
      new Set(endings.map((ending) => ending.status === 'rejected' && (ending.reason as { code: string }).code)),
    ).toEqual(new Set(['ECANCELLED']));
    expect(performance.now() - began).toBeLessThan(2_500);
  });
});

describe('the files of names', () => {
  it('give the order of what is looked up', () => {
    const rules = searchRulesIn(
      'nameserver 10.0.0.1\n# search no.example\nsearch a.example . b.example\noptions ndots:2 rotate\n',
    );

    expect(rules).toEqual({ domains: ['a.example', 'b.example'], dots: 2 });
    expect(candidates('one.two', rules)).toEqual(['one.two.a.example', 'one.two.b.example', 'one.two']);
    expect(candidates('one.two.three', rules)[0]).toBe('one.two.three');
    expect(candidates('one.two.', rules)).toEqual(['one.two.']);
    expect(searchRulesIn('domain c.example\n')).toEqual({ domains: ['c.example'], dots: 1 });
    expect(searchRulesIn('')).toEqual({ domains: [], dots: 1 });
  });

  it('give all addresses of a name', () => {
    expect([...hostsIn('127.0.0.1 localhost  Here\n#x y\n\n::1\tlocalhost # z\n')]).toEqual([
      ['localhost', ['127.0.0.1', '::1']],
      ['here', ['127.0.0.1']],
    ]);
  });
});
