import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Published {
  readonly manifest: object;
  /** The hash that the document names. */
  readonly integrity: string;
  readonly archive: Buffer;
}

/** How a registry answers when it is asked for an archive. */
export type Sending = 'whole' | 'slowly' | 'in part';

const VERSION = '1.0.0';
const PARTS = 10;
const PART_EVERY_MS = 300;

/** A registry of packages over HTTP, which may be away, slow, or have other bytes than it says. */
export class PackageRegistry {
  isAway = false;
  sending: Sending = 'whole';
  private readonly packages = new Map<string, Published>();
  private readonly held = new Map<string, ServerResponse[]>();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response: ServerResponse) => {
      const path = decodeURIComponent((request.url ?? '/').slice(1));
      if (this.isAway) return void response.destroy();
      const waiting = this.held.get(path);
      if (!waiting) return void this.answer(path, response);
      waiting.push(response);
      server.emit('held', path);
    });
  }

  static async start(): Promise<PackageRegistry> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new PackageRegistry(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** Publishes version 1.0.0 of a package, or another content of it. `sent` are the bytes that are sent in its place. */
  publish(name: string, archive: Buffer, manifest: object = {}, sent = archive): void {
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
    this.packages.set(name, { manifest, integrity, archive: sent });
  }

  /** Keeps requests for the archive of a package waiting. The function that it returns answers them. */
  hold(name: string): () => void {
    const path = archiveOf(name);
    this.held.set(path, []);
    return () => {
      const waiting = this.held.get(path) ?? [];
      this.held.delete(path);
      for (const response of waiting) void this.answer(path, response);
    };
  }

  /** Resolves when the archive was asked for that is held. */
  async asked(name: string): Promise<void> {
    const path = archiveOf(name);
    while ((this.held.get(path) ?? []).length === 0) await once(this.server, 'held');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(path: string, response: ServerResponse): Promise<void> {
    const [name = ''] = path.split('/-/');
    const found = this.packages.get(name);
    if (!found) return void response.writeHead(404).end();
    if (path !== name) return this.send(found.archive, response);
    const dist = { tarball: `${this.url}${archiveOf(name)}`, integrity: found.integrity };
    const versions = { [VERSION]: { ...found.manifest, name, version: VERSION, dist } };
    response.end(JSON.stringify({ name, 'dist-tags': { latest: VERSION }, versions }));
  }

  private async send(archive: Buffer, response: ServerResponse): Promise<void> {
    if (this.sending === 'whole') return void response.end(archive);
    response.writeHead(200, { 'content-length': archive.length });
    const size = Math.ceil(archive.length / PARTS);
    for (let start = 0; start < archive.length; start += size) {
      response.write(archive.subarray(start, start + size));
      await new Promise((sent) => setTimeout(sent, PART_EVERY_MS));
      if (this.sending === 'in part') return void response.destroy();
    }
    response.end();
  }
}

const archiveOf = (name: string): string => `${name}/-/archive.tgz`;
