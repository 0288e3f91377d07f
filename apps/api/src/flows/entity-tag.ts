import { InvalidRequestError, PreconditionFailedError, type Flow } from '@millrace/domain';

// Conditional changes, as RFC 9110 defines them (8.8.3, 13.1.1). The entity tag of a flow is its revision: a request
// with that tag in `If-Match` changes exactly the state that the client has read, or nothing.

export const entityTagOf = ({ revision }: Pick<Flow, 'revision'>): string => `"${revision}"`;

/** Matches one member of a list of entity tags and its end. Members may be empty, and a tag may contain a comma. */
const MEMBER = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/gy;

/**
 * Throws PreconditionFailedError when the header does not name the present state of the flow, and InvalidRequestError
 * when it cannot be parsed. Weak tags never match.
 */
export function assertIfMatch(header: string | undefined, flow: Pick<Flow, 'id' | 'revision'>): void {
  if (header === undefined || header.trim() === '*') return;
  const present = entityTagOf(flow);
  if (!entityTags(header).includes(present)) throw new PreconditionFailedError('flow', flow.id, present);
}

function entityTags(header: string): string[] {
  const members = [...header.matchAll(MEMBER)];
  const charactersRead = members.reduce((sum, [text]) => sum + text.length, 0);
  const tags = members.flatMap(([, tag]) => tag ?? []);
  if (charactersRead === header.length && tags.length > 0) return tags;
  throw new InvalidRequestError([
    { path: '/if-match', message: 'must be * or a list of entity tags, each in double quotes.' },
  ]);
}
