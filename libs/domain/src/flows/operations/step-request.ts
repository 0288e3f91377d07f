import { MAX_STEPS_PER_VERSION } from '../flow-version';
import type { JsonReader } from '../../json/json-reader';

// Reads the members that several operations on steps have in their requests.

/** No step has a longer name. The limit keeps messages readable that quote an unknown name. */
const MAX_NAME_LENGTH = 100;

/** Reads the name of a step. It does not check whether the flow has this step. */
export function stepNameOf(reader: JsonReader, member: string): string {
  const name = reader.requiredText(member);
  if (name.length > MAX_NAME_LENGTH) reader.wrong(member, `must have at most ${MAX_NAME_LENGTH} characters.`);
  return name;
}

/** Reads the member `names`, which must name at least one step. */
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

/** Reads the index of a branch, counting from 0; undefined when it is absent. */
export function branchIndexOf(reader: JsonReader, member: string): number | undefined {
  const index = reader.number(member, undefined);
  if (index === undefined || (Number.isSafeInteger(index) && index >= 0)) return index;
  reader.wrong(member, 'must be a whole number from 0.');
  return undefined;
}

/** Reads the index of a branch as `branchIndexOf` does; an absent index is a problem. */
export function requiredBranchIndexOf(reader: JsonReader, member: string): number {
  reader.needs(member);
  return branchIndexOf(reader, member) ?? 0;
}
