import { MAX_STEPS_PER_VERSION } from '../flow-version';
import type { JsonReader } from '../../json/json-reader';

// What the requests of several step operations have in common.

/** No step has a longer name, and a message that quotes one stays readable. */
const MAX_NAME_LENGTH = 100;

/** The name of a step, which may turn out to be unknown. */
export function stepNameOf(reader: JsonReader, member: string): string {
  const name = reader.requiredText(member);
  if (name.length > MAX_NAME_LENGTH) reader.wrong(member, `must have at most ${MAX_NAME_LENGTH} characters.`);
  return name;
}

/** The member `names`: step names, at least one. */
export function stepNamesOf(reader: JsonReader): string[] {
  reader.needs('names');
  const names = reader.texts('names');
  const sent = reader.any('names');
  const count = Array.isArray(sent) ? sent.length : 1;
  if (count === 0) reader.wrong('names', 'must name at least one step.');
  if (count > MAX_STEPS_PER_VERSION) reader.wrong('names', `must name at most ${MAX_STEPS_PER_VERSION} steps.`);
  if (names.some((name) => name.length > MAX_NAME_LENGTH))
    reader.wrong('names', `must hold names of at most ${MAX_NAME_LENGTH} characters.`);
  return names;
}

/** The position of a branch, from 0; undefined when absent. */
export function branchIndexOf(reader: JsonReader, member: string): number | undefined {
  const index = reader.number(member, undefined);
  if (index === undefined || (Number.isSafeInteger(index) && index >= 0)) return index;
  reader.wrong(member, 'must be a whole number from 0.');
  return undefined;
}

/** The same where it is required. */
export function requiredBranchIndexOf(reader: JsonReader, member: string): number {
  reader.needs(member);
  return branchIndexOf(reader, member) ?? 0;
}
