import { OutboundFailure, parseAllowList } from '@millrace/domain';
import { AddressGuard } from './address-guard';
import { aDnsServer, type DnsRecord, type TestDns } from './testing/a-dns-server';

let dns: TestDns;
beforeAll(async () => {
  dns = await aDnsServer();
});
afterAll(() => dns.close());

const HOST = 'api.dnstest.invalid';
const guard = (allowList = ''): AddressGuard =>
  new AddressGuard({ allowList: parseAllowList(allowList), lookup: dns.lookup });

async function verdictOf(host: string, allowList = '', port = 443): Promise<string> {
  try {
    const addresses = await guard(allowList).resolve(host, port);
    return addresses.map(({ address }) => address).join(' ');
  } catch (error) {
    if (error instanceof OutboundFailure) return error.reason;
    throw error;
  }
}

describe('AddressGuard', () => {
  it.each<[string, DnsRecord[], string, string]>([
    [
      'public addresses, IPv4 first',
      [
        ['AAAA', '2606:4700::1'],
        ['A', '1.1.1.1'],
      ],
      '',
      '1.1.1.1 2606:4700::1',
    ],
    ['a closed address', [['A', '10.0.0.1']], '', 'refused'],
    [
      'a closed address beside a public one',
      [
        ['A', '1.1.1.1'],
        ['A', '10.0.0.1'],
      ],
      '',
      'refused',
    ],
    [
      'a closed one of the other family',
      [
        ['A', '1.1.1.1'],
        ['AAAA', '::1'],
      ],
      '',
      'refused',
    ],
    ['a mapped closed one', [['AAAA', '::ffff:10.0.0.1']], '', 'refused'],
    ['a mapped public one, unwrapped', [['AAAA', '::ffff:1.1.1.1']], '', '1.1.1.1'],
    ['a listed one', [['A', '10.0.0.1']], '10.0.0.1:443', '10.0.0.1'],
    ['one listed at another port', [['A', '10.0.0.1']], '10.0.0.1:80', 'refused'],
    [
      'a listed one beside a closed one, alone',
      [
        ['A', '10.0.0.1'],
        ['A', '10.0.0.2'],
      ],
      '10.0.0.1',
      '10.0.0.1',
    ],
    [
      'a listed one beside a closed and a public one, alone',
      [
        ['A', '10.0.0.1'],
        ['A', '10.0.0.2'],
        ['A', '1.1.1.1'],
      ],
      '10.0.0.1',
      '10.0.0.1',
    ],
    [
      'a listed one beside a public one, both',
      [
        ['A', '10.0.0.1'],
        ['A', '1.1.1.1'],
      ],
      '10.0.0.1',
      '10.0.0.1 1.1.1.1',
    ],
    ['no address', [], '', 'unreachable'],
  ])('judges a name with %s', async (_what, records, allowList, verdict) => {
    dns.set(HOST, records);

    expect(await verdictOf(HOST, allowList)).toBe(verdict);
  });

  it('judges the address at the end of other names', async () => {
    dns.set('inside.dnstest.invalid', [['A', '192.168.0.1']]);
    dns.set('outside.dnstest.invalid', [['A', '1.1.1.1']]);
    dns.set('second.dnstest.invalid', [['CNAME', 'inside.dnstest.invalid']]);
    dns.set('first.dnstest.invalid', [['CNAME', 'second.dnstest.invalid']]);
    dns.set('public.dnstest.invalid', [['CNAME', 'outside.dnstest.invalid']]);

    expect(await verdictOf('first.dnstest.invalid')).toBe('refused');
    expect(await verdictOf('public.dnstest.invalid')).toBe('1.1.1.1');
  });

  it('looks a name up once for a decision, and anew for the next', async () => {
    dns.set(HOST, [['A', '1.1.1.1']], [['A', '127.0.0.1']]);

    expect(await verdictOf(HOST)).toBe('1.1.1.1');
    expect(dns.lookupsOf(HOST)).toBe(1);
    expect(await verdictOf(HOST)).toBe('refused');
  });

  it.each(['metadata', 'LOCALHOST.', 'db.internal', 'x.svc', 'redis.svc.cluster.local', 'printer.lan', 'a.home.arpa'])(
    'refuses %s without asking whether it is there',
    async (name) => {
      const key = name.toLowerCase().replace(/\.$/, '');
      dns.set(key, [['A', '10.0.0.1']]);

      expect(await verdictOf(name)).toBe('refused');
      expect(dns.lookupsOf(key)).toBe(0);
    },
  );

  it.each([
    ['a full stop of Chinese', 'x.db。internal', 'refused'],
    ['letters of another width', 'x.ｉｎｔｅｒｎａｌ', 'refused'],
    ['a NUL, which ends a name', 'metadata\0.example.com', 'unreachable'],
    ['characters that no name has', 'a b.example.com', 'unreachable'],
    ['more than names have', `${'x'.repeat(16_000)}.example.com`, 'unreachable'],
    ['nothing', '', 'unreachable'],
  ])('looks up no name of the inside for %s', async (_what, name, verdict) => {
    const lookup = jest.fn(async () => [{ address: '1.1.1.1' }]);
    const recordsOf = jest.fn(async () => []);
    const asked = new AddressGuard({ lookup, recordsOf });

    await expect(asked.resolve(name, 80)).rejects.toMatchObject({ reason: verdict });
    await expect(asked.records('TXT', name)).rejects.toMatchObject({ reason: verdict });
    expect([lookup, recordsOf].flatMap(({ mock }) => mock.calls)).toEqual([]);
  });

  it('judges and looks up a name as resolvers read it', async () => {
    dns.set('xn--bcher-kva.dnstest.invalid', [['A', '1.1.1.1']]);

    expect(await verdictOf('Bücher。dnstest.invalid')).toBe('1.1.1.1');
  });

  it('knows names of the inside once there is an allow list, and tells of absent ones no more than of closed ones', async () => {
    dns.set('db.internal', [['A', '10.0.0.1']]);
    dns.set('absent.internal', []);

    expect(await verdictOf('db.internal', '10.0.0.1')).toBe('10.0.0.1');
    const closed = guard('10.9.9.9').resolve('db.internal', 80).catch(String);
    const absent = guard('10.9.9.9').resolve('absent.internal', 80).catch(String);
    expect(await absent).toBe(await closed);
    expect(await absent).toBe(
      'OutboundFailure: The target is not allowed: it is an address inside a network, and not on the list SVC_SSRF_ALLOW_LIST.',
    );
  });

  it('does not wait for a resolver that is silent about the inside', async () => {
    const silent = new AddressGuard({
      allowList: parseAllowList('10.0.0.1'),
      lookup: () => new Promise(() => undefined),
    });

    await expect(silent.resolve('metadata.google.internal', 80)).rejects.toMatchObject({ reason: 'refused' });
  });

  it('ends a look-up when nobody waits for it, and when it takes too long', async () => {
    const signals: AbortSignal[] = [];
    const silent = new AddressGuard({
      allowList: parseAllowList('10.0.0.1'),
      lookup: (_host, signal) => (signals.push(signal), new Promise(() => undefined)),
    });
    const stop = new AbortController();
    const stopped = silent.resolve(HOST, 80, stop.signal);
    const late = silent.resolve('metadata.google.internal', 80);

    stop.abort(new Error('The call was stopped.'));

    await expect(stopped).rejects.toThrow('The call was stopped.');
    await expect(late).rejects.toMatchObject({ reason: 'refused' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    await expect(silent.resolve(HOST, 80, stop.signal)).rejects.toThrow('The call was stopped.');
    expect(signals).toHaveLength(2);
  });

  it.each(['127.0.0.1', '127.1', '2130706433', '0x7f.1', '::1', '[::1]', '::ffff:10.0.0.1', 'fe80::1%eth0'])(
    'judges the address %s without a name server',
    async (literal) => {
      expect(await verdictOf(literal)).toBe('refused');
      expect(dns.lookupsOf(literal)).toBe(0);
    },
  );

  describe('records of names', () => {
    const found = [{ name: 'one.example', port: 27017, priority: 0, weight: 0 }];
    const recordsOf = jest.fn((_kind: string, _name: string) => Promise.resolve(found));
    const asking = (allowList = ''): AddressGuard =>
      new AddressGuard({ allowList: parseAllowList(allowList), recordsOf, warn: () => undefined });
    beforeEach(() => recordsOf.mockClear());

    it('are those of the resolver, of which there is a bound', async () => {
      expect(await asking().records('SRV', '_db._tcp.example.com')).toEqual(found);
      expect(recordsOf).toHaveBeenCalledWith('SRV', '_db._tcp.example.com', expect.any(AbortSignal));

      recordsOf.mockResolvedValueOnce(Array<(typeof found)[0]>(1_000).fill(found[0] as (typeof found)[0]));
      expect(await asking().records('SRV', '_db._tcp.example.com')).toHaveLength(100);
    });

    it.each(['_db._tcp.shop.svc.', '_db._tcp.DB.internal', 'localhost'])(
      'are not looked for under %s, unless there is an allow list',
      async (name) => {
        await expect(asking().records('TXT', name)).rejects.toMatchObject({ reason: 'refused' });
        expect(recordsOf).not.toHaveBeenCalled();

        expect(await asking('10.0.0.1').records('TXT', name)).toEqual(found);
      },
    );
  });
});
