import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { anArchive, type ArchiveEntry } from '@millrace/e2e-support';
import { extract } from 'tar-stream';

/** The archive of a published package under another name, because its own is that of a built-in piece. */
export async function renamedPackage(published: string, name: string): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'renamed-'));
  try {
    const arguments_ = ['pack', '--silent', '--pack-destination', folder, published];
    const file = execFileSync('npm', arguments_, { encoding: 'utf8' }).trim();
    const entries = await entriesOf(readFileSync(join(folder, file)));
    return await anArchive(...entries.map((entry): ArchiveEntry => renamed(entry, name)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Entry = readonly [path: string, content: Buffer];

async function entriesOf(archive: Buffer): Promise<Entry[]> {
  const entries: Entry[] = [];
  const reading = extract();
  reading.end(gunzipSync(archive));
  for await (const entry of reading) {
    const parts: Buffer[] = [];
    for await (const part of entry as AsyncIterable<Buffer>) parts.push(part);
    entries.push([entry.header.name.replace(/^package\//, ''), Buffer.concat(parts)]);
  }
  return entries;
}

function renamed([path, content]: Entry, name: string): Entry {
  if (path !== 'package.json') return [path, content];
  return [path, Buffer.from(JSON.stringify({ ...(JSON.parse(content.toString()) as object), name }))];
}
