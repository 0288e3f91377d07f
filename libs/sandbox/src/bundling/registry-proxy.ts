import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { isPackageName } from './dependencies';
import { ABBREVIATED, type RegistryClient } from './registry-client';
import { readVersions, type ReadVersions } from './registry-versions';

/** The address that npm is given as its registry. It exists in no network: only the proxy knows the real one. */
export const REGISTRY_URL = 'http://registry.invalid/';

const ARCHIVE_PATH = /^(.+)\/-\/[^/]+\.tgz$/;
const TOO_LARGE = 413;

export interface ByteLimits {
  /** Most bytes of the registry's document of one package. */
  documentBytes: number;
  /** Most bytes of all archives together: `archiveBytes` as they arrive, `unpackedBytes` when unpacked. */
  archiveBytes: number;
  unpackedBytes: number;
}

/**
 * An HTTP proxy on the loopback, which is all that one npm process can reach. It serves the registry's documents and
 * archives and refuses every other address. So a package cannot make npm contact an address, and npm gets no archive of
 * a package before the proxy has checked the package's dependencies.
 */
export class RegistryProxy {
  readonly refused: ReadVersions['refused'] = [];
  /** How many requests of npm named another address than the registry. */
  strayRequests = 0;
  private readonly archives = new Map<string, { name: string; url: string }>();
  private readonly token = randomBytes(16).toString('hex');
  private readonly server: Server;
  private received = 0;
  private unpacked = 0;

  private constructor(
    private readonly client: RegistryClient,
    private readonly limits: ByteLimits,
    private readonly onTooMuch: () => void,
  ) {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch(() => response.destroy()); // npm then reports a failed request
    });
    this.server.on('connect', (_request, socket) => {
      this.strayRequests++;
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
  }

  static async start(client: RegistryClient, limits: ByteLimits, onTooMuch: () => void): Promise<RegistryProxy> {
    const proxy = new RegistryProxy(client, limits, onTooMuch);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  /** The address has a password, so that other users of the machine cannot reach the registry with our credentials. */
  get url(): string {
    return `http://npm:${this.token}@127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const password = `Basic ${Buffer.from(`npm:${this.token}`).toString('base64')}`;
    if (request.headers['proxy-authorization'] !== password) return end(response, 407);
    const { url = '', method, headers } = request;
    if (method !== 'GET' || !url.startsWith(REGISTRY_URL)) {
      this.strayRequests++;
      return end(response, 403);
    }
    const path = url.slice(REGISTRY_URL.length);
    const archive = this.archives.get(path) ?? (await this.findArchive(path));
    if (archive) return this.sendArchive(archive, response);
    const name = decodeURIComponent(path);
    return isPackageName(name) ? this.sendVersions(name, headers.accept ?? '*/*', response) : end(response, 404);
  }

  /** A lock file names archives, so npm asks for them without the documents that have their addresses. */
  private async findArchive(path: string): Promise<{ name: string; url: string } | undefined> {
    const [, name] = ARCHIVE_PATH.exec(path) ?? [];
    if (name === undefined || !isPackageName(name)) return undefined;
    await this.documentOf(name, ABBREVIATED);
    return this.archives.get(path);
  }

  private async sendVersions(name: string, accept: string, response: ServerResponse): Promise<void> {
    const document = await this.documentOf(name, accept);
    if (typeof document === 'number') return end(response, document);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  }

  /** The document for npm, or the status with which the registry refuses it. */
  private async documentOf(name: string, accept: string): Promise<unknown> {
    const answer = await this.client.versionsOf(name, accept);
    if (!answer.ok) return answer.status;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      if (bytes > this.limits.documentBytes) {
        this.onTooMuch();
        return TOO_LARGE;
      }
      chunks.push(chunk);
    }
    const pathOf = (version: string) => `${name}/-/${encodeURIComponent(version)}.tgz`;
    const read = readVersions(
      name,
      JSON.parse(Buffer.concat(chunks).toString()),
      (version) => REGISTRY_URL + pathOf(version),
    );
    for (const [version, url] of read.archives) this.archives.set(pathOf(version), { name, url });
    this.refused.push(...read.refused);
    return read.document;
  }

  private async sendArchive({ name, url }: { name: string; url: string }, response: ServerResponse): Promise<void> {
    const answer = await this.client.archive(name, url);
    if (!answer) this.strayRequests++;
    if (!answer?.ok || !answer.body) return end(response, answer?.status ?? 403);
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    await pipeline(Readable.fromWeb(answer.body), this.counter(), response);
  }

  /** Passes an archive on and unpacks it to count the bytes, because a small archive can unpack to a very large one. */
  private counter(): Transform {
    const unpacking = createGunzip();
    unpacking.on('data', (chunk: Buffer) => this.count(0, chunk.length));
    unpacking.on('error', () => unpacking.destroy()); // the bytes are no archive, which npm reports itself
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.count(chunk.length, 0);
        if (unpacking.destroyed) done(null, chunk);
        else unpacking.write(chunk, () => done(null, chunk));
      },
      destroy: (error, done) => {
        unpacking.destroy();
        done(error);
      },
    });
  }

  private count(received: number, unpacked: number): void {
    this.received += received;
    this.unpacked += unpacked;
    if (this.received > this.limits.archiveBytes || this.unpacked > this.limits.unpackedBytes) this.onTooMuch();
  }
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}
