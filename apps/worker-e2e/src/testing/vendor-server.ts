import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCA, createCert } from 'mkcert';

export interface VendorCall {
  method: string;
  /** The whole address, with the host that the package named. */
  url: string;
  /** What identified the caller. */
  credentials: string;
  body: string;
}

/** The headers in which vendors are told who calls. */
const CREDENTIALS = ['authorization', 'x-api-key', 'x-shopify-access-token', 'total-key'] as const;

const VALIDITY = 2;

/** A server on this machine that answers for vendors, at their own host names and with certificates for these. */
export class VendorServer {
  readonly calls: VendorCall[] = [];
  private readonly answers = new Map<string, unknown>();

  private constructor(
    private readonly server: Server,
    private readonly hosts: readonly string[],
    private readonly folder: string,
    /** The certificate for all these hosts, which services that have `settings` trust. */
    readonly certificate: { readonly key: string; readonly cert: string },
  ) {}

  static async start(hosts: readonly string[]): Promise<VendorServer> {
    const ca = await createCA({ organization: 'T', countryCode: 'NA', state: 'T', locality: 'T', validity: VALIDITY });
    const certificate = await createCert({ domains: [...hosts], validity: VALIDITY, ca });
    const folder = mkdtempSync(join(tmpdir(), 'vendors-'));
    writeFileSync(join(folder, 'ca.pem'), ca.cert);
    const server = createServer(certificate);
    const vendors = new VendorServer(server, hosts, folder, certificate);
    vendors.listen();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return vendors;
  }

  /** The settings with which a service calls this server instead of the vendors. */
  get settings(): Record<string, string> {
    const { port } = this.server.address() as AddressInfo;
    return {
      SVC_SSRF_ALLOW_LIST: '127.0.0.1',
      SVC_OUTBOUND_CA_FILE: join(this.folder, 'ca.pem'),
      SVC_OUTBOUND_CONNECT_TO: this.hosts.map((host) => `${host}:443:127.0.0.1:${port}`).join(','),
    };
  }

  /** Answers every call of this host and path, without its query, with this body as JSON. A function makes it for each. */
  answer(place: string, body: unknown): void {
    this.answers.set(place, body);
  }

  callsOf(host: string): VendorCall[] {
    return this.calls.filter(({ url }) => new URL(url).host === host);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
    rmSync(this.folder, { recursive: true, force: true });
  }

  private listen(): void {
    this.server.on('request', (request, answer) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const { headers, method = '', url = '' } = request;
        const credentials = CREDENTIALS.map((name) => headers[name]).find((header) => header !== undefined);
        const body = Buffer.concat(pieces).toString();
        this.calls.push({ method, url: `https://${headers.host}${url}`, credentials: String(credentials ?? ''), body });
        void this.answerAt(`${headers.host}${url.split('?', 1)[0]}`, answer);
      });
    });
  }

  private async answerAt(place: string, answer: ServerResponse): Promise<void> {
    const isKnown = this.answers.has(place);
    const known = this.answers.get(place);
    const body: unknown = typeof known === 'function' ? await (known as () => unknown)() : known;
    answer.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
    answer.end(JSON.stringify(isKnown ? body : { message: 'Not found' }));
  }
}
