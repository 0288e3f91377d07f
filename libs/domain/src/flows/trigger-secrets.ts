import { jsonDepth } from '../json/json-text';
import { isJsonObject } from '../json/json-reader';
import type { SecretPath } from '../pieces/piece-catalogue';
import { REDACTED } from '../connections/secrets';
import type { FlowTrigger } from './flow-version';

// The secrets in a trigger's input. A version contains only references to them, so that nobody reads them back; the
// secrets themselves are kept sealed, beside the flow.
//
// S1. A reference names a secret of its flow. Whoever sends it back keeps the secret, in another version too.
// S2. In another flow a reference names nothing. It becomes the bare mark, and the step is invalid until somebody
//     writes the secret again.
// S3. An expression is not a secret: it names the connection that has the secret.

/** A secret of a trigger, by the id that references name. */
export interface TriggerSecret {
  id: string;
  value: string;
}

/** Reads the secrets of triggers. A secret of another flow counts as unknown. */
export abstract class TriggerSecrets {
  /** The secrets in clear, by id; unknown ones, and those whose stored bytes do not open, are absent. */
  abstract find(flowId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

const MAX_JSON_DEPTH = 128;
const REFERENCE = /^\*\*REDACTED\*\*:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

const referenceTo = (id: string): string => `${REDACTED}:${id}`;

/** The id of the secret that a text refers to; null when it is no reference. */
export const referredSecret = (text: string): string | null => REFERENCE.exec(text)?.[1] ?? null;

/** The ids of the secrets to which any text in a value refers. */
export function referredSecrets(value: unknown): Set<string> {
  const ids = new Set<string>();
  mapTexts(value, (text) => {
    const id = referredSecret(text);
    if (id !== null) ids.add(id);
    return text;
  });
  return ids;
}

/** What the hiding of secrets must know about the flow. */
export interface KnownSecrets {
  /** The trigger before the change. Where the bare mark is sent back, the reference at the same place stays. */
  previous: FlowTrigger;
  /** The ids of the flow's secrets, at least of those to which the new trigger refers. */
  ids: ReadonlySet<string>;
}

/**
 * Replaces the secrets of a trigger by references. `made` are the secrets that are new. Returns the same trigger when
 * there is nothing to replace.
 */
export function hideSecrets(
  trigger: FlowTrigger,
  paths: readonly SecretPath[],
  { previous, ids }: KnownSecrets,
  newId: () => string,
): { trigger: FlowTrigger; made: TriggerSecret[] } {
  const made: TriggerSecret[] = [];
  const hidden = paths.reduce((changed, path) => {
    const before = textsAt(previous, path);
    let position = 0;
    return mapSecrets(changed, path, (text) => {
      const there = before[position++];
      if (text === REDACTED && there !== undefined && referredSecret(there) !== null) return there;
      const id = referredSecret(text);
      const isKnown = id !== null && (ids.has(id) || made.some((secret) => secret.id === id));
      if (id !== null) return isKnown ? text : REDACTED;
      if (text === '' || text === REDACTED || text.includes('{{')) return text;
      const secret = { id: newId(), value: text };
      made.push(secret);
      return referenceTo(secret.id);
    });
  }, trigger);
  return { trigger: hidden, made };
}

/** Replaces the references at these paths by the secrets. A reference to an unknown secret becomes the bare mark. */
export const openSecrets = <T extends FlowTrigger>(
  trigger: T,
  paths: readonly SecretPath[],
  secrets: ReadonlyMap<string, string>,
): T =>
  paths.reduce((changed, path) => {
    return mapSecrets(changed, path, (text) => {
      const id = referredSecret(text);
      return id === null ? text : (secrets.get(id) ?? REDACTED);
    });
  }, trigger);

/** Replaces the secrets of a trigger, and the references to them, by the bare mark. Expressions stay. */
export const redactSecrets = (trigger: FlowTrigger, paths: readonly SecretPath[]): FlowTrigger =>
  paths.reduce(
    (changed, path) => mapSecrets(changed, path, (text) => (text === '' || text.includes('{{') ? text : REDACTED)),
    trigger,
  );

function textsAt(trigger: FlowTrigger, path: SecretPath): string[] {
  const texts: string[] = [];
  mapSecrets(trigger, path, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

function mapSecrets<T extends FlowTrigger>(
  trigger: T,
  [name, member]: SecretPath,
  change: (text: string) => string,
): T {
  if (trigger.type === 'EMPTY' || !Object.hasOwn(trigger.settings.input, name)) return trigger;
  const { input } = trigger.settings;
  const before = input[name];
  const after = member === undefined ? mapTexts(before, change) : mapMember(before, member, change);
  if (after === before) return trigger;
  return { ...trigger, settings: { ...trigger.settings, input: { ...input, [name]: after } } };
}

/** A text may be the JSON of an object, or a secret in the wrong place. */
function mapMember(value: unknown, member: string, change: (text: string) => string): unknown {
  const object = typeof value === 'string' ? parsedObject(value) : value;
  if (typeof object === 'string') return change(object);
  if (!isJsonObject(object) || !Object.hasOwn(object, member)) return object;
  const before = object[member];
  const after = mapTexts(before, change);
  return after === before ? object : { ...object, [member]: after };
}

function parsedObject(text: string): unknown {
  if (jsonDepth(text) > MAX_JSON_DEPTH) return text;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : text;
  } catch {
    return text;
  }
}

/** Changes every text in a value, and every number, which is a text without quotation marks. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value === 'number') return change(String(value));
  if (Array.isArray(value)) {
    const items = value.map((item) => mapTexts(item, change));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, inner]) => [name, mapTexts(inner, change)] as const);
  return members.some(([name, inner]) => inner !== value[name]) ? Object.fromEntries(members) : value;
}
