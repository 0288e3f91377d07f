// What a file or a pasted text holds. Whether a flow is good, and in which dialect it is written, is the API's to say.

/** A flow as it was exported, here or elsewhere. */
export interface FlowSource {
  /** The name that it brings; null when it has none. */
  name: string | null;
  definition: Json;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the flows of a text. An export of several holds a list of them. Throws SyntaxError for what is no JSON. */
export function flowsIn(text: string): FlowSource[] {
  const value: unknown = JSON.parse(text);
  return listIn(value)
    .filter(isObject)
    .map((definition) => ({ name: nameIn(definition), definition }));
}

function listIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value) || !Array.isArray(value['flows'])) return [value];
  const flows: readonly unknown[] = value['flows'];
  // The API takes an export of one flow as it is, with what is around it.
  return flows.length === 1 ? [value] : flows;
}

function nameIn({ displayName, name, template, flows }: Json): string | null {
  const inner = Array.isArray(flows) ? (flows as unknown[])[0] : template;
  const names = [displayName, name, ...(isObject(inner) ? [inner['displayName']] : [])];
  return names.find((each): each is string => typeof each === 'string' && each.trim() !== '') ?? null;
}

/** The definition with a name, which the API needs. What is around a definition calls it otherwise. */
export function namedDefinition({ name, definition }: FlowSource, otherwise: string): Json {
  if (name !== null) return definition;
  const isAround = 'template' in definition || 'flows' in definition;
  return { ...definition, [isAround ? 'name' : 'displayName']: otherwise };
}

const NOT_IN_NAMES = /[^\p{L}\p{N}._-]+/gu;
const LONGEST_NAME = 80;

/** A name for the file of a flow, which every system takes. */
export const fileNameOf = (flowName: string): string =>
  `${flowName.replace(NOT_IN_NAMES, ' ').trim().slice(0, LONGEST_NAME).trim() || 'flow'}.json`;
