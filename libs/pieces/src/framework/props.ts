import type { OutboundHttp } from '@millrace/domain';

// A prop declares an input that the author gives. coerce-input.ts coerces the input to the prop, or says why it does
// not fit.

interface Described {
  displayName: string;
  description?: string;
  required: boolean;
  /** The value of the input when it is missing. */
  defaultValue?: unknown;
}

/** Choices whose labels are their values. */
export const choicesOf = <const Value extends string>(...values: readonly Value[]): { label: string; value: Value }[] =>
  values.map((value) => ({ label: value, value }));

export interface Choice {
  label: string;
  value: unknown;
}

/** What a prop may use whose choices or inputs depend on other inputs or on another service. */
export interface OptionsContext {
  /** The value of the connection. Undefined until the author has chosen one. */
  auth?: unknown;
  http: OutboundHttp;
  signal: AbortSignal;
  /** The project that asks. Packages need it. It is absent at a run, where no package is asked. */
  projectId?: string;
  /** What expressions read of a connection of that project. Absent at a run. */
  connection?: (externalId: string) => Promise<unknown>;
  /** The text by which the author searches an option. */
  searchValue?: string;
}

type OtherInputs = Readonly<Record<string, unknown>>;

/** Choices that were requested. `placeholder` says in one sentence what is missing when there are none. */
export interface FoundChoices {
  options: readonly Choice[];
  placeholder?: string;
}

/** A list of choices, or a function that requests them, for example from another service. */
export type Choices =
  | readonly Choice[]
  | ((input: OtherInputs, context: OptionsContext) => Promise<FoundChoices | readonly Choice[]>);

/** Returns more props, which may depend on the other inputs. Most are also asked at every run, so they must be cheap. */
type MoreProps = (input: OtherInputs, context: OptionsContext) => Props | Promise<Props>;

/** The members of an object: always the same, or decided by another input, for each value of that. */
interface KnownMembers {
  members?: Props;
  membersBy?: { input: string; members: Readonly<Record<string, Props>> };
}

export type Prop =
  /** `date`: ISO 8601. `file`: the URL of a file. `any`: any JSON value. `json`: any JSON value, and text is parsed. */
  | (Described & { kind: 'checkbox' | 'number' | 'json' | 'any' | 'date' | 'file' })
  /** `isSecret`: clients hide the text, or the texts of the list, while it is typed. */
  | (Described & { kind: 'text'; isSecret?: boolean })
  /** `members`: every item is an object, and has these members. */
  | (Described & { kind: 'array'; isSecret?: boolean; members?: Props })
  | (Described & { kind: 'object' } & KnownMembers)
  /** `hasMoreOptions`: the options are not all that there are, so any value passes. */
  | (Described & { kind: 'dropdown' | 'multi_select'; options: Choices; hasMoreOptions?: boolean })
  /**
   * `secrets`: the names of the members that are secrets, whatever the other inputs are. `takesAnyMembers`: a run does
   * not ask for the props, because that costs a call of a package, and leaves the members as they are.
   */
  | (Described & { kind: 'dynamic'; props: MoreProps; secrets?: readonly string[]; takesAnyMembers?: boolean });

export type PropKind = Prop['kind'];
export type Props = Readonly<Record<string, Prop>>;

interface InputValues {
  text: string;
  number: number;
  checkbox: boolean;
  dropdown: unknown;
  multi_select: unknown[];
  array: unknown[];
  object: Record<string, unknown>;
  json: unknown;
  any: unknown;
  date: string;
  file: string;
  dynamic: Record<string, unknown>;
}

type ChosenOf<P extends Prop> = P extends { options: readonly { value: infer Value }[] } ? Value : unknown;

/** The type of a `dynamic` input. It is precise only for props that are always the same. */
type FilledIn<P extends Prop> = P extends { props: (...asked: never[]) => infer More extends Props }
  ? string extends keyof More
    ? InputValues['dynamic']
    : InputOf<More>
  : InputValues['dynamic'];

type ValueOf<P extends Prop> = P['kind'] extends 'dropdown'
  ? ChosenOf<P>
  : P['kind'] extends 'multi_select'
    ? ChosenOf<P>[]
    : P['kind'] extends 'dynamic'
      ? FilledIn<P>
      : InputValues[P['kind']];

/** The type of an action's input, derived from its props. */
export type InputOf<P extends Props> = {
  [Name in keyof P]: P[Name] extends { required: true } | { defaultValue: NonNullable<unknown> } | { kind: 'dynamic' }
    ? ValueOf<P[Name]>
    : ValueOf<P[Name]> | undefined;
};
