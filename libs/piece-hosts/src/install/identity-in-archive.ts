import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { ArchiveError } from './archive-error';
import { identityIn, type PackageIdentity } from './package-manifest';

/** How much of an archive is unpacked in search of its manifest, which comes first in those that npm makes. */
const MOST_SEARCHED_BYTES = 20 * 1024 * 1024;
const MOST_MANIFEST_BYTES = 1024 * 1024;

/**
 * Reads the name and the version of the package in an archive, without writing anything. Throws ArchiveError when it has
 * none. Whether the archive can be used is known when it was unpacked.
 */
export async function identityInArchive(archive: Buffer): Promise<PackageIdentity> {
  const entries = extract();
  const reading = pipeline(Readable.from([archive]), createGunzip(), bounded, entries);
  reading.catch(() => undefined); // is told by the entries
  try {
    for await (const entry of entries) {
      if (!isManifest(entry.header.name)) entry.resume();
      else return identityIn(jsonOf(await textOf(entry as AsyncIterable<Buffer>)));
    }
  } catch (error) {
    if (error instanceof ArchiveError) throw error;
    throw new ArchiveError('The archive is damaged, or is none.', { cause: error });
  } finally {
    entries.destroy();
  }
  throw new ArchiveError('The archive has no package.json.');
}

const isManifest = (name: string): boolean => /^[^/]+\/package\.json$/.test(name.replace(/^\.\//, ''));

async function* bounded(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > MOST_SEARCHED_BYTES)
      throw new ArchiveError(`The first ${MOST_SEARCHED_BYTES} bytes of the archive have no package.json.`);
    yield piece;
  }
}

async function textOf(entry: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of entry) {
    bytes += piece.length;
    if (bytes > MOST_MANIFEST_BYTES)
      throw new ArchiveError(`The package.json of the archive has more than ${MOST_MANIFEST_BYTES} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function jsonOf(text: string): object {
  const value = JSON.parse(text) as unknown; // what is no JSON makes the archive a damaged one
  return typeof value === 'object' && value !== null ? value : {};
}
