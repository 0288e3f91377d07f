import { createHmac, timingSafeEqual } from 'node:crypto';
import { isId } from '../id';

/** Far longer than a request takes, and far shorter than what is worth stealing. */
export const CALL_TOKEN_SECONDS = 60;

const PREFIX = 'pc-';
const FORM = /^pc-([0-9a-f-]{36})\.(\d{1,12})\.([\w-]{43})$/;

/**
 * Makes and checks the tokens by which a worker reads from the api for a package, in the project of the package's call.
 * No package has one, and none is stored.
 */
export class CallTokens {
  constructor(
    /** The key of the installation for these tokens. It is loaded at the first use. */
    private readonly key: () => Promise<Buffer>,
  ) {}

  /** Whether this credential means to be one. */
  static isOne(credential: string): boolean {
    return credential.startsWith(PREFIX);
  }

  async issue(projectId: string, now: Date): Promise<string> {
    const expires = Math.floor(now.getTime() / 1_000) + CALL_TOKEN_SECONDS;
    const signature = signatureOf(await this.key(), projectId, expires);
    return `${PREFIX}${projectId}.${expires}.${signature.toString('base64url')}`;
  }

  /** The project of a token that is ours and valid now. Null for any other. */
  async projectOf(token: string, now: Date): Promise<string | null> {
    const [, projectId = '', expires = '', signature = ''] = FORM.exec(token) ?? [];
    if (!isId(projectId)) return null;
    const expected = signatureOf(await this.key(), projectId, Number(expires));
    const given = Buffer.from(signature, 'base64url');
    const isOurs = given.length === expected.length && timingSafeEqual(given, expected);
    return isOurs && now.getTime() < Number(expires) * 1_000 ? projectId : null;
  }
}

const signatureOf = (key: Buffer, projectId: string, expires: number): Buffer =>
  createHmac('sha256', key).update(`${projectId} ${expires}`).digest();
