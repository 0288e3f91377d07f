import { REDACTED } from '../connections/secrets';
import { mayIn, type Principal } from '../identity/principal';

// Whoever has the link of a request to a person can answer it, without a login. So those who may read a run and not act
// on it see such links without the id of the request.

const BEFORE_ID = '/requests/';
const LINK = /(\/requests\/)[\w-]+/g;
const LINK_AT_END = /\/requests\/[\w-]+$/;
const REST_OF_ID = /^[\w-]+/;

/** Says whether the principal may answer the requests of the runs of a project, and so may see their links. */
export const mayAnswerIn = (principal: Pick<Principal, 'roles'>, projectId: string): boolean =>
  mayIn(principal, projectId, 'WRITE_RUN');

export const withoutRequestLinks = (text: string): string => text.replace(LINK, `$1${REDACTED}`);

/**
 * Hides the ids in text that arrives in pieces, also where a piece ends within a link. It keeps back at most as many
 * bytes as a link has before its id.
 */
export class RequestLinkFilter {
  private keptBack = '';
  private isWithinId = false;

  /** Takes the next piece and returns what can be shown now. */
  next(piece: Buffer): Buffer {
    // Latin-1 has one character for each byte, so a character of several bytes survives being cut.
    let text = this.keptBack + piece.toString('latin1');
    if (this.isWithinId) text = text.replace(REST_OF_ID, '');
    this.isWithinId = LINK_AT_END.test(text) || (this.isWithinId && text === '');
    const shown = this.isWithinId ? text.length : text.length - lengthOfLinkBegunIn(text);
    this.keptBack = text.slice(shown);
    return Buffer.from(withoutRequestLinks(text.slice(0, shown)), 'latin1');
  }

  /** Returns what was kept back. No link has come after it. */
  end(): Buffer {
    return Buffer.from(this.keptBack, 'latin1');
  }
}

/** How much of the text's end may become a link with the next piece. */
function lengthOfLinkBegunIn(text: string): number {
  let length = BEFORE_ID.length;
  while (!text.endsWith(BEFORE_ID.slice(0, length))) length--;
  return length;
}
