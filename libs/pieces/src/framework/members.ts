import type { SecretPath } from '@millrace/domain';
import { isMissing, type InputValues } from './coerce-input';
import type { Props } from './props';

// The members of inputs that are objects, or lists of objects, as props declare them.

/**
 * The props of the members that this input may have, by the names of the inputs. While the choice that decides about
 * them is unknown, nothing is known about the members.
 */
export function declaredMembers(props: Props, input: InputValues): Record<string, Props> {
  const declared: Record<string, Props> = {};
  for (const [name, prop] of Object.entries(props)) {
    if (prop.kind !== 'object') continue;
    if (prop.members && (prop.required || !isMissing(input[name]))) declared[name] = prop.members;
    if (!prop.membersBy) continue;
    const choice = chosenOf(props, input, prop.membersBy.input);
    const members = typeof choice === 'string' && ownEntry(prop.membersBy.members, choice);
    if (members) declared[name] = members;
  }
  return declared;
}

/** The props of the members of each item, of the inputs that are lists of objects, by the names of the inputs. */
export const itemMembers = (props: Props): Record<string, Props> =>
  Object.fromEntries(
    Object.entries(props).flatMap(([name, prop]) =>
      prop.kind === 'array' && prop.members ? [[name, prop.members] as const] : [],
    ),
  );

/** Where an input contains secrets, whatever it chooses. */
export function secretPaths(props: Props): SecretPath[] {
  return Object.entries(props).flatMap(([name, prop]): SecretPath[] => {
    if ('isSecret' in prop && prop.isSecret) return [[name]];
    if (prop.kind === 'dynamic') return (prop.secrets ?? []).map((member) => [name, member]);
    if (prop.kind !== 'object') return [];
    const choices = [prop.members ?? {}, ...Object.values(prop.membersBy?.members ?? {})];
    const secrets = choices.flatMap((members) => secretPaths(members).map(([member]) => member));
    return [...new Set(secrets)].map((member) => [name, member]);
  });
}

function chosenOf(props: Props, input: InputValues, name: string): unknown {
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  return isMissing(value) ? props[name]?.defaultValue : value;
}

const ownEntry = <T>(entries: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(entries, name) ? entries[name] : undefined;
