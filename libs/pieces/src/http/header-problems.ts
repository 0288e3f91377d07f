import { isMissing } from '../framework/coerce-input';

// What HTTP cannot have in a header. `input` is the path of the input in which the author wrote it.

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const LONGEST_QUOTE = 40;

export function headerNameProblems(input: string, name: unknown): string[] {
  if (typeof name !== 'string' || isMissing(name) || NAME.test(name)) return [];
  return [`${JSON.stringify(name.slice(0, LONGEST_QUOTE))} in ${input} is not the name of a header.`];
}

/** The value is not quoted, because it may be a secret. */
export function headerValueProblems(input: string, value: unknown): string[] {
  if (typeof value !== 'string' || value.includes('{{') || VALUE.test(value)) return [];
  return [`The value of ${input} has a character that a header cannot have, such as a line break.`];
}
