import type { JsonReader } from './json-reader';

export const MAX_DISPLAY_NAME_LENGTH = 255;

/** Reads a required `displayName`; blank is no name. */
export function displayNameOf(reader: JsonReader): string {
  const name = reader.text('displayName', undefined);
  if (name === undefined) {
    if (!reader.has('displayName')) reader.wrong('displayName', 'is required.');
  } else if (name.trim() === '') reader.wrong('displayName', 'must not be blank.');
  else if (name.length > MAX_DISPLAY_NAME_LENGTH)
    reader.wrong('displayName', `must have at most ${MAX_DISPLAY_NAME_LENGTH} characters.`);
  return name ?? '';
}
