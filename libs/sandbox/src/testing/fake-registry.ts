import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { RegistrySettings } from '../bundling/registry-settings';

interface FakePackage {
  manifest: Record<string, unknown>;
  archive: Buffer;
}

/** A package registry on the loopback, with the packages that a test puts into it. */
export class FakeRegistry {
  /** The paths of all requests, in order. */
  readonly asked: string[] = [];
  /** The `accept` header of all requests, in order. */
  readonly accepted: string[] = [];
  private readonly packages = new Map<string, FakePackage>();
  private readonly held = new Set<string>();
  private readonly answers = new Map<string, RequestListener>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      const path = decodeURIComponent((request.url ?? '/').slice(1));
      this.asked.push(path);
      this.accepted.push(request.headers.accept ?? '');
      const answer = this.answers.get(path);
      if (answer) answer(request, response);
      else this.answer(path, response);
    });
  }

  static async start(): Promise<FakeRegistry> {
    const registry = new FakeRegistry();
    registry.server.listen(0, '127.0.0.1');
    await once(registry.server, 'listening');
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  get settings(): RegistrySettings {
    return { url: this.url, scopes: {}, credentials: {}, certificates: [] };
  }

  /** Adds version 1.0.0 of a package. */
  add(name: string, manifest: Record<string, unknown> = {}, files: Record<string, string> = { 'index.js': '' }): this {
    const whole = { name, version: '1.0.0', ...manifest };
    const archive = gzipSync(tar({ 'package.json': JSON.stringify(whole), ...files }));
    this.packages.set(name, { manifest: whole, archive });
    return this;
  }

  archiveOf(name: string): Buffer | undefined {
    return this.packages.get(name)?.archive;
  }

  /** Lets a test answer all requests of a path, such as `name` or `name/-/archive.tgz`. */
  answerWith(path: string, answer: RequestListener): this {
    this.answers.set(path, answer);
    return this;
  }

  /** Resolves when this package was requested. Packages whose names begin with `held` never get an answer. */
  async heldRequest(name: string): Promise<void> {
    while (!this.held.has(name)) await once(this.server, 'held');
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private answer(path: string, response: ServerResponse): void {
    if (path.startsWith('held')) {
      this.held.add(path);
      this.server.emit('held');
      return;
    }
    const [name = ''] = path.split('/-/');
    const found = this.packages.get(name);
    if (!found) response.writeHead(404).end();
    else if (path !== name) response.end(found.archive);
    else response.end(JSON.stringify(this.documentOf(name, found)));
  }

  private documentOf(name: string, { manifest, archive }: FakePackage): object {
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
    const dist = { tarball: `${this.url}${name}/-/archive.tgz`, integrity };
    return { name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { ...manifest, dist } } };
  }
}

/** A tar archive: each file has a header of 512 bytes, and its content is padded to a multiple of 512 bytes. */
function tar(files: Record<string, string>): Buffer {
  const parts = Object.entries(files).flatMap(([name, text]) => {
    const bytes = Buffer.from(text);
    const header = Buffer.alloc(512);
    header.write(`package/${name}`, 0);
    header.write('0000644\0', 100);
    header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write('00000000000\0', 136);
    header.write('        0', 148);
    header.write('ustar\x0000', 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}
