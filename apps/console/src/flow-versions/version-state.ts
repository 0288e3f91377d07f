import type { Tone } from '../controls/status';
import { exactTime } from '../controls/time-words';
import type { Flow, Version } from './version-queries';
import { words } from './words';

/** What a version is for the flow: the one that runs, the one that is edited, or one that was. */
export function stateOf(
  { id, state }: Pick<Version, 'id' | 'state'>,
  { publishedVersionId }: Pick<Flow, 'publishedVersionId'>,
): { tone: Tone; word: string } {
  if (id === publishedVersionId) return { tone: 'good', word: words.published };
  return state === 'DRAFT' ? { tone: 'waits', word: words.draft } : { tone: 'idle', word: words.locked };
}

/** A version as it is called in a list of choices. */
export const titleOf = (version: Version, flow: Flow): string =>
  words.optionOf(exactTime(version.updated), stateOf(version, flow).word);
