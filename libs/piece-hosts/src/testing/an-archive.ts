import { gzipSync } from 'node:zlib';
import { pack, type Header } from 'tar-stream';

export type Entry = readonly [header: string | (Partial<Header> & { name: string }), content?: string | Buffer];

const LONG_AGO = new Date(0);

/** An archive of a package, as registries have them. The same entries make the same bytes at any time. */
export async function anArchive(...entries: Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const [header, content = ''] of entries)
    archive.entry({ mtime: LONG_AGO, ...(typeof header === 'string' ? { name: header } : header) }, content);
  archive.finalize();
  const pieces: Buffer[] = [];
  for await (const piece of archive as AsyncIterable<Buffer>) pieces.push(piece);
  return gzipSync(Buffer.concat(pieces));
}

/** The manifest of a package, as an entry of its archive. */
export const aManifest = (fields: object): Entry => ['package/package.json', JSON.stringify(fields)];
