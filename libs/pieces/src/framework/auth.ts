import { coerceInput, inputProblems, isMissing, unknownKeys, whyMissing } from './coerce-input';
import type { InputOf, Props } from './props';

/** The kind of connection that a piece needs. The author gives the connection as the input `auth`. */
export type PieceAuth =
  | { kind: 'none' }
  | (Described & { kind: 'secretText' })
  | (Described & { kind: 'basicAuth' })
  | (Described & {
      kind: 'customAuth';
      props: Props;
      /** The connection may have further members, which stay as they are. */
      takesAnyMembers?: true;
    });

interface Described {
  displayName: string;
  description?: string;
  /** Other kinds of connection that the piece takes instead. */
  alternatives?: readonly PieceAuth[];
}

type Connected = Exclude<PieceAuth, { kind: 'none' }>;

export type AuthOf<A extends PieceAuth> = A extends { kind: 'secretText' }
  ? string
  : A extends { kind: 'basicAuth' }
    ? { username: string; password: string }
    : A extends { kind: 'customAuth'; props: infer P extends Props }
      ? InputOf<P>
      : undefined;

const BASIC_AUTH: Props = {
  username: { kind: 'text', displayName: 'User name', required: true },
  password: { kind: 'text', displayName: 'Password', required: true, isSecret: true },
};

export type CoercedAuth = { auth: unknown } | { problems: string[] };

/**
 * Checks the value of the connection and coerces it to the shape that the piece declares. `written` is the author's
 * expression, which a problem about a missing connection quotes.
 */
export function coerceAuth(declared: PieceAuth, given: unknown, written?: unknown): CoercedAuth {
  if (declared.kind === 'none') return { auth: undefined };
  const first = coerceKind(declared, given, written);
  if (!('problems' in first)) return first;
  const others = (declared.alternatives ?? []).map((each) => coerceAuth(each, given, written));
  return others.find((each) => !('problems' in each)) ?? first;
}

function coerceKind(declared: Connected, given: unknown, written?: unknown): CoercedAuth {
  const problem = missingOrMisshapen(declared, given, written);
  if (problem !== null) return { problems: [problem] };
  if (declared.kind === 'secretText') return { auth: given };
  const coerced = coerceInput(propsOf(declared), given as Record<string, unknown>, { under: 'auth' });
  if ('problems' in coerced) return coerced;
  const others = declared.kind === 'customAuth' && declared.takesAnyMembers ? (given as object) : {};
  return { auth: { ...others, ...coerced.input } };
}

/**
 * Checks the `auth` that an author has written. An expression passes, because its value is not known before the run.
 */
export function authProblems(declared: PieceAuth, written: unknown): string[] {
  if (declared.kind === 'none' || (typeof written === 'string' && written.includes('{{'))) return [];
  const problems = kindProblems(declared, written);
  const isTaken = (declared.alternatives ?? []).some((each) => authProblems(each, written).length === 0);
  return isTaken ? [] : problems;
}

function kindProblems(declared: Connected, written: unknown): string[] {
  const problem = missingOrMisshapen(declared, written);
  if (problem !== null) return [problem];
  if (declared.kind === 'secretText') return [];
  return inputProblems(propsOf(declared), written as Record<string, unknown>, { under: 'auth' });
}

/** The paths of the members of a written `auth` that the connection does not have. */
export function unknownAuthMembers(declared: PieceAuth, written: unknown): string[] {
  if (declared.kind === 'none' || declared.kind === 'secretText' || declared.alternatives) return [];
  if (declared.kind === 'customAuth' && declared.takesAnyMembers) return [];
  return unknownKeys(propsOf(declared), written, 'auth.');
}

function missingOrMisshapen(declared: Connected, given: unknown, written?: unknown): string | null {
  const label = `The connection "${declared.displayName}" (auth)`;
  if (isMissing(given)) return `${label} is required${whyMissing(written)}.`;
  const expected = declared.kind === 'secretText' ? 'string' : 'object';
  if (typeof given === expected && !Array.isArray(given)) return null;
  return `${label} is not of the kind ${declared.kind}.`;
}

const propsOf = (declared: PieceAuth): Props => (declared.kind === 'customAuth' ? declared.props : BASIC_AUTH);
