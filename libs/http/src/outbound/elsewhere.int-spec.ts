import { OutboundFailure, parseAllowList, parseConnectTo } from '@millrace/domain';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AddressGuard } from './address-guard';
import { GuardedHttp } from './guarded-http';
import { trustInFile } from './outbound-trust';
import { aCertificateFor, anAuthority, type Certificate } from './testing/certificates';

const VENDOR = 'api.vendor.example';
let folder: string;
let authority: Certificate;
let server: Server;
const clients: GuardedHttp[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'elsewhere-'));
  authority = await anAuthority();
  writeFileSync(join(folder, 'ca.pem'), authority.cert);
  server = createServer(await aCertificateFor([VENDOR], authority), (request, response) =>
    response.end(`${request.headers.host} asked`),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Given {
  readonly allowList?: string;
  readonly caFile?: string | undefined;
}

/** Calls a host while its port 443 leads to the server of these tests. */
async function call(host: string, { allowList = '127.0.0.1', caFile = join(folder, 'ca.pem') }: Given = {}) {
  const rules = `${host}:443:127.0.0.1:${(server.address() as AddressInfo).port}`;
  const guard = new AddressGuard({ allowList: parseAllowList(allowList), connectTo: parseConnectTo(rules) });
  const client = new GuardedHttp(guard, {}, undefined, undefined, caFile === '' ? {} : trustInFile(caFile));
  clients.push(client);
  const { body } = await client.send({ method: 'GET', url: `https://${host}/`, timeoutMs: 5_000 });
  return Buffer.from(body).toString();
}

const failureOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof OutboundFailure ? `${error.reason}: ${error.message}` : String(error)),
  );

describe('a call whose host leads elsewhere', () => {
  it('reaches the other place, which answers for the host with a certificate of an authority in the file', async () => {
    expect(await call(VENDOR)).toBe(`${VENDOR} asked`);
  });

  it('is refused when the other place is inside the network and not listed', async () => {
    expect(await failureOf(call(VENDOR, { allowList: '' }))).toMatch(/^refused: /);
  });

  it('does not trust the authority without the file', async () => {
    expect(await failureOf(call(VENDOR, { caFile: '' }))).toBe(
      `unreachable: The certificate of ${VENDOR} cannot be trusted.`,
    );
  });

  it('does not trust a certificate of another host', async () => {
    expect(await failureOf(call('api.other.example'))).toBe(
      'unreachable: The certificate of api.other.example cannot be trusted.',
    );
  });
});

describe('the file of certificate authorities', () => {
  it.each([
    ['that does not exist', undefined, 'cannot be read'],
    ['without a certificate', 'a key', 'has no certificate in PEM form'],
    [
      'with a damaged certificate',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
      'a certificate in .* is damaged',
    ],
  ])('%s is refused by the name of the setting', (name, content, message) => {
    const path = join(folder, `${name}.pem`);
    if (content !== undefined) writeFileSync(path, content);
    expect(() => trustInFile(path)).toThrow(new RegExp(`^SVC_OUTBOUND_CA_FILE is wrong: .*${message}`));
  });
});
