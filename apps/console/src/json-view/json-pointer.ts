import type { Path } from './json-nodes';

/** The JSON pointer (RFC 6901) to a part of a value; empty for the whole. */
export const pointerOf = (path: Path): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
