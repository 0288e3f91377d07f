import { createHmac, timingSafeEqual } from 'node:crypto';
import { InvalidFileLinkError } from '../errors/invalid-file-link.error';

/** How long a link is valid. */
export const FILE_LINK_SECONDS = 7 * 24 * 60 * 60;

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
  constructor(
    private readonly publicUrl: string,
    /** The key of the installation for links. It is loaded at the first use. */
    private readonly key: () => Promise<Buffer>,
  ) {}

  async linkTo(fileId: string, now: Date): Promise<FileLink> {
    return (await this.linker(now))(fileId);
  }

  /** Returns a function that makes links without waiting, for many files at once. */
  async linker(now: Date): Promise<(fileId: string) => FileLink> {
    const key = await this.key();
    const expires = Math.floor(now.getTime() / 1_000) + FILE_LINK_SECONDS;
    return (fileId) => {
      const id = fileId.toLowerCase();
      const signature = signatureOf(key, id, expires).toString('base64url');
      const url = `${this.publicUrl}/api/v1/files/${id}?expires=${expires}&signature=${signature}`;
      return { url, expires: new Date(expires * 1_000) };
    };
  }

  /** Throws InvalidFileLinkError unless this is a link to the file and is valid now. */
  async check(fileId: string, { expires, signature }: FileLinkProof, now: Date): Promise<void> {
    const until = typeof expires === 'string' && /^\d{1,12}$/.test(expires) ? Number(expires) : null;
    if (until === null || typeof signature !== 'string') throw new InvalidFileLinkError('is not complete');
    const expected = signatureOf(await this.key(), fileId.toLowerCase(), until);
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new InvalidFileLinkError('is not one of ours');
    if (now.getTime() >= until * 1_000) throw new InvalidFileLinkError('has expired');
  }
}

const signatureOf = (key: Buffer, id: string, expires: number): Buffer =>
  createHmac('sha256', key).update(`${id} ${expires}`).digest();
