import { createHmac, timingSafeEqual } from 'node:crypto';
import { InvalidFileLinkError } from '../errors/invalid-file-link.error';

/** How long a link is valid. */
export const FILE_LINK_SECONDS = 7 * 24 * 60 * 60;

/** How a file is shown: as it is, or with the ids of requests to people hidden in the outputs of steps. */
export type FileView = 'whole' | 'masked';

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
 * The signature says how the file is shown, so nobody can make a link to the whole file of one to the masked file.
 */
export class FileLinks {
  constructor(
    private readonly publicUrl: string,
    /** The key of the installation for links. It is loaded at the first use. */
    private readonly key: () => Promise<Buffer>,
  ) {}

  async linkTo(fileId: string, now: Date, view: FileView = 'whole'): Promise<FileLink> {
    return (await this.linker(now, view))(fileId);
  }

  /** Returns a function that makes links without waiting, for many files at once. */
  async linker(now: Date, view: FileView = 'whole'): Promise<(fileId: string) => FileLink> {
    const key = await this.key();
    const expires = Math.floor(now.getTime() / 1_000) + FILE_LINK_SECONDS;
    return (fileId) => {
      const id = fileId.toLowerCase();
      const signature = signatureOf(key, { id, expires, view }).toString('base64url');
      const url = `${this.publicUrl}/api/v1/files/${id}?expires=${expires}&signature=${signature}`;
      return { url, expires: new Date(expires * 1_000) };
    };
  }

  /** Returns what the link shows. Throws InvalidFileLinkError unless it is a link to the file and is valid now. */
  async check(fileId: string, { expires, signature }: FileLinkProof, now: Date): Promise<FileView> {
    const until = typeof expires === 'string' && /^\d{1,12}$/.test(expires) ? Number(expires) : null;
    if (until === null || typeof signature !== 'string') throw new InvalidFileLinkError('is not complete');
    const key = await this.key();
    const given = Buffer.from(signature, 'base64url');
    const view = VIEWS.find((view) =>
      areEqual(given, signatureOf(key, { id: fileId.toLowerCase(), expires: until, view })),
    );
    if (!view) throw new InvalidFileLinkError('is not one of ours');
    if (now.getTime() >= until * 1_000) throw new InvalidFileLinkError('has expired');
    return view;
  }
}

const VIEWS: readonly FileView[] = ['whole', 'masked'];

const signatureOf = (key: Buffer, { id, expires, view }: { id: string; expires: number; view: FileView }): Buffer =>
  createHmac('sha256', key)
    .update(view === 'whole' ? `${id} ${expires}` : `${id} ${expires} ${view}`)
    .digest();

const areEqual = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected);
