import { gzipSync } from 'node:zlib';
import { pack, type Header } from 'tar-stream';

export type Entry = readonly [header: string | (Partial<Header> & { name: string }), content?: string | Buffer];

/** An archive of a package, as registries have them. */
export async function anArchive(...entries: Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const [header, content = ''] of entries)
    archive.entry(typeof header === 'string' ? { name: header } : header, content);
  archive.finalize();
  const pieces: Buffer[] = [];
  for await (const piece of archive as AsyncIterable<Buffer>) pieces.push(piece);
  return gzipSync(Buffer.concat(pieces));
}

/** The manifest of a package, as an entry of its archive. */
export const aManifest = (fields: object): Entry => ['package/package.json', JSON.stringify(fields)];
