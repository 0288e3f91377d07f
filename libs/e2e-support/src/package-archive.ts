import { gzipSync } from 'node:zlib';
import { pack, type Header } from 'tar-stream';
import type { ServiceClient } from './service-client';

export type ArchiveEntry = readonly [header: string | (Partial<Header> & { name: string }), content?: string | Buffer];

const LONG_AGO = new Date(0);

/** An archive with these entries, as `npm pack` makes it. */
export async function anArchive(...entries: ArchiveEntry[]): Promise<Buffer> {
  const archive = pack();
  for (const [header, content = ''] of entries) {
    const named = typeof header === 'string' ? { name: `package/${header}` } : header;
    archive.entry({ mtime: LONG_AGO, ...named }, content); // the same files make the same archive at any time
  }
  archive.finalize();
  const parts: Buffer[] = [];
  for await (const part of archive as AsyncIterable<Buffer>) parts.push(part);
  return gzipSync(Buffer.concat(parts));
}

/** The manifest of a package, as an entry of its archive. */
export const aManifest = (name: string, more: object = {}): ArchiveEntry => [
  'package.json',
  JSON.stringify({ name, version: '1.0.0', main: 'index.js', ...more }),
];

/** The archive of a package whose main module has this source. */
export const aPackage = (name: string, source: string, more: object = {}): Promise<Buffer> =>
  anArchive(aManifest(name, more), ['index.js', source]);

/** Installs a package whose main module has this source, in version 1.0.0. */
export async function installPackage(client: ServiceClient, name: string, source: string): Promise<void> {
  const { status, body } = await client.request('POST', '/pieces/archives', await aPackage(name, source), {
    'content-type': 'application/gzip',
  });
  if (status !== 201) throw new Error(`${name} was not installed: ${JSON.stringify(body)}`);
}
