import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { InvalidFileLinkError } from '../errors/invalid-file-link.error';

/** How long a link is valid. */
export const FILE_LINK_SECONDS = 7 * 24 * 60 * 60;

const KEY_PURPOSE = 'millrace file links';
const KEY_BYTES = 32;

export interface FileLink {
  url: string;
  expires: Date;
}

/** The query parameters of a link, as they came and not checked yet. */
export interface FileLinkProof {
  expires: unknown;
  signature: unknown;
}

/**
 * Makes and checks signed links. A link shows its file to everyone who has it, without credentials. No link is stored.
 */
export class FileLinks {
  private readonly key: Buffer;

  constructor(
    private readonly publicUrl: string,
    encryptionKey: Buffer,
  ) {
    this.key = Buffer.from(hkdfSync('sha256', encryptionKey, '', KEY_PURPOSE, KEY_BYTES));
  }

  linkTo(fileId: string, now: Date): FileLink {
    const id = fileId.toLowerCase();
    const expires = Math.floor(now.getTime() / 1_000) + FILE_LINK_SECONDS;
    const signature = this.signatureOf(id, expires).toString('base64url');
    const url = `${this.publicUrl}/api/v1/files/${id}?expires=${expires}&signature=${signature}`;
    return { url, expires: new Date(expires * 1_000) };
  }

  /** Throws InvalidFileLinkError unless this is a link to the file and is valid now. */
  check(fileId: string, { expires, signature }: FileLinkProof, now: Date): void {
    const until = typeof expires === 'string' && /^\d{1,12}$/.test(expires) ? Number(expires) : null;
    if (until === null || typeof signature !== 'string') throw new InvalidFileLinkError('is not complete');
    const expected = this.signatureOf(fileId.toLowerCase(), until);
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new InvalidFileLinkError('is not one of ours');
    if (now.getTime() >= until * 1_000) throw new InvalidFileLinkError('has expired');
  }

  private signatureOf(id: string, expires: number): Buffer {
    return createHmac('sha256', this.key).update(`${id} ${expires}`).digest();
  }
}
