import { isJsonObject } from '@millrace/domain';
import { coerceInput } from '../framework/coerce-input';
import { Coercion } from '../framework/coercion';
import type { Props } from '../framework/props';
import type { FileInput } from './call-files';
import { packageProps } from './package-props';
import { readPublishedProps, type PublishedProps } from './published-piece';

type Input = Readonly<Record<string, unknown>>;

/** What editors note of the inputs of a step, by their names. */
export type PropertySettings = Readonly<Record<string, unknown>>;

/** An input whose dynamic members have the types that were noted of them, and which of these members are files. */
export interface NotedInput {
  readonly input: Input;
  readonly files: readonly FileInput[];
}

/**
 * Reads the members of dynamic inputs as what they were when they were filled in: editors note the props that the package
 * gave then (`propertySettings.<input>.schema`). A member of which nothing is noted, or that does not fit, stays as it is:
 * the package may want something else by now.
 */
export function withNotedMembers(input: Input, dynamic: readonly string[], noted: PropertySettings): NotedInput {
  const files: FileInput[] = [];
  const read = { ...input };
  const coercion = new Coercion();
  for (const name of dynamic) {
    const members = input[name];
    const schema = schemaOf(noted[name]);
    if (!isJsonObject(members) || !schema) continue;
    read[name] = { ...members, ...fitting(packageProps(schema, nobody), members, coercion) };
    for (const [key, { type }] of Object.entries(schema)) if (type === 'FILE') files.push({ input: name, key });
  }
  return { input: read, files };
}

function schemaOf(noted: unknown): PublishedProps | null {
  const schema = isJsonObject(noted) ? noted['schema'] : undefined;
  return isJsonObject(schema) ? readPublishedProps(schema) : null;
}

/** The members that fit their props. */
function fitting(props: Props, members: Input, coercion: Coercion): Input {
  const kept = Object.entries(props).flatMap(([name, prop]) => {
    const coerced = coerceInput({ [name]: prop }, members, { coercion });
    return 'problems' in coerced ? [] : Object.entries(coerced.input);
  });
  return Object.fromEntries(kept);
}

/** The noted props are data, which asks nobody. */
const nobody = (): Promise<null> => Promise.resolve(null);
