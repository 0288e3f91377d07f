import type { JsonReader } from '../json/json-reader';
import type { Member } from '../json/request-shape';

export const MAX_DISPLAY_NAME_LENGTH = 255;

/** Reads a required `displayName`, or another member that serves as one. A blank name is a problem. */
export function displayNameOf(reader: JsonReader, member = 'displayName'): string {
  const name = reader.text(member, undefined);
  if (name === undefined) {
    if (!reader.has(member)) reader.wrong(member, 'is required.');
  } else if (name.trim() === '') reader.wrong(member, 'must not be blank.');
  else if (name.length > MAX_DISPLAY_NAME_LENGTH)
    reader.wrong(member, `must have at most ${MAX_DISPLAY_NAME_LENGTH} characters.`);
  return name ?? '';
}

/** A name for people. */
export const DISPLAY_NAME: Member<string> = {
  read: displayNameOf,
  schema: { type: 'string', maxLength: MAX_DISPLAY_NAME_LENGTH, pattern: '\\S' },
};
