import { OutboundFailure, parseAllowList } from '@millrace/domain';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildConnector } from 'undici';
import { AddressGuard } from './address-guard';
import { GuardedHttp, type GuardedHttpOptions } from './guarded-http';
import { aDnsServer, type DnsRecord, type TestDns } from './testing/a-dns-server';
import { aCanary, anEvilServer, aRedirector, type TestServer } from './testing/test-servers';

interface TargetCase {
  id: string;
  url: string;
  expect: string;
  reason: string;
  kind?: string;
  allowlist?: string[];
  dns?: DnsRecord[];
  requestHeaders?: Record<string, string>;
}

const file = join(__dirname, '../../../../tests/cases/ssrf-targets.json');
const { targets, allowlistCases } = JSON.parse(readFileSync(file, 'utf8')) as {
  targets: TargetCase[];
  allowlistCases: TargetCase[];
};

let canary: TestServer;
let neighbour: TestServer;
let redirector: TestServer;
let evil: TestServer;
let dns: TestDns;
const open: GuardedHttp[] = [];

beforeAll(async () => {
  [canary, neighbour, redirector, evil, dns] = await Promise.all([
    aCanary(),
    aCanary(),
    aRedirector(),
    anEvilServer(),
    aDnsServer(),
  ]);
  dns.set('localhost', [
    ['A', '127.0.0.1'],
    ['AAAA', '::1'],
  ]);
  dns.set('other.dnstest.invalid', [['A', '127.0.0.1']]);
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((http) => http.close()));
});

afterAll(() => Promise.all([canary, neighbour, redirector, evil, dns].map((server) => server.close())));

const filled = (text: string): string =>
  text
    .replaceAll('{canary_port}', String(canary.port))
    .replaceAll('{redirector_port}', String(redirector.port))
    .replaceAll('{evil_port}', String(evil.port))
    .replaceAll(/\{(?:redis|postgres|api)_port\}/g, String(neighbour.port));

function callerOf(
  { allowlist = [] }: TargetCase,
  options: GuardedHttpOptions = {},
  warnings: string[] = [],
): GuardedHttp {
  const guard = new AddressGuard({
    allowList: parseAllowList(filled(allowlist.join())),
    lookup: dns.lookup,
    warn: (line) => warnings.push(line),
  });
  const http = new GuardedHttp(guard, options);
  open.push(http);
  return http;
}

const request = (target: TargetCase) => ({
  method: 'POST',
  url: filled(target.url),
  body: 'x',
  headers: target.requestHeaders ?? {},
  timeoutMs: 2_000,
  maxAnswerBytes: 1_000_000,
});

async function failureOf(work: Promise<unknown>): Promise<OutboundFailure> {
  const ending: unknown = await work.catch((error: unknown) => error);
  if (ending instanceof OutboundFailure) return ending;
  throw new Error('the call should have failed, and as the network does', { cause: ending });
}

describe.each(targets.filter(({ expect: expected }) => expected.startsWith('refused')))(
  'an outbound call to $id ($reason)',
  (target) => {
    it('is refused, and nobody is connected to', async () => {
      if (target.dns) dns.set(new URL(filled(target.url)).hostname, target.dns);
      const before = canary.connections() + neighbour.connections();

      const failure = await failureOf(callerOf(target).send(request(target)));

      const atRedirect = target.expect === 'refused-at-redirect';
      expect(failure.reason).toBe(target.id === 'ui-enc' ? 'invalid' : 'refused');
      expect(failure.message).toMatch(/^The (?:target is not allowed: .*|URL is not valid)\.$/);
      expect(canary.connections() + neighbour.connections()).toBe(before);
      expect(atRedirect).toBe(target.kind === 'redirect');
    });
  },
);

describe('an answer that means harm', () => {
  const hostile = (id: string): TargetCase => {
    const found = targets.find((target) => target.id === id);
    if (!found) throw new Error(`no case ${id}`);
    return found;
  };

  it.each([
    ['rs-endless', 'tooLarge'],
    ['rs-headers', 'tooLarge'],
    ['rs-cl-lie', 'unreachable'],
  ])('%s fails with %s', async (id, reason) => {
    const failure = await failureOf(callerOf(hostile(id)).send(request(hostile(id))));

    expect(failure.reason).toBe(reason);
  });

  it.each([
    ['rs-json-deep', 200_000],
    ['rs-json-proto', 31],
  ])('%s comes as the %i bytes it is, unread', async (id, length) => {
    const answer = await callerOf(hostile(id)).send(request(hostile(id)));

    expect(answer.body).toHaveLength(length);
  });

  it('is in this file for each such case', () => {
    const ids = targets.filter(({ expect: expected }) => !expected.startsWith('refused')).map(({ id }) => id);

    expect(ids).toEqual(['rs-endless', 'rs-headers', 'rs-cl-lie', 'rs-json-deep', 'rs-json-proto']);
  });
});

describe('the allow list', () => {
  const listCase = (id: string): TargetCase => {
    const found = allowlistCases.find((each) => each.id === id);
    if (!found) throw new Error(`no case ${id}`);
    return found;
  };

  it('does not open another port of a listed address', async () => {
    const failure = await failureOf(callerOf(listCase('al-other-port')).send(request(listCase('al-other-port'))));

    expect(failure.reason).toBe('refused');
  });

  it.each(['al-mapped', 'al-name'])('opens the listed address however it is written (%s)', async (id) => {
    const { status } = await callerOf(listCase(id)).send(request(listCase(id)));

    expect(status).toBe(200);
  });

  it('opens everything when it says so, with a warning', async () => {
    const warnings: string[] = [];
    const connectTo = buildConnector({});
    const addresses: string[] = [];
    const connector: typeof connectTo = (options, callback) => {
      addresses.push(options.hostname);
      connectTo({ ...options, hostname: '127.0.0.1', port: String(canary.port) }, callback);
    };

    const http = callerOf(listCase('al-zero'), { connector }, warnings);
    const { status } = await http.send(request(listCase('al-zero')));

    expect(status).toBe(200);
    expect(addresses).toEqual(['10.0.0.1']);
    expect(warnings).toEqual([expect.stringContaining('SVC_SSRF_ALLOW_LIST contains 0.0.0.0/0')]);
  });
});
