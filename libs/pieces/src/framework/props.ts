import type { OutboundHttp } from '@millrace/domain';

// What an author can be asked for. A prop says what an input is; coerce-input.ts makes the input so, or says why it is not.

interface Described {
  displayName: string;
  description?: string;
  required: boolean;
  /** Taken when the input is missing. */
  defaultValue?: unknown;
}

/** Choices whose labels are their values. */
export const choicesOf = <const Value extends string>(...values: readonly Value[]): { label: string; value: Value }[] =>
  values.map((value) => ({ label: value, value }));

export interface Choice {
  label: string;
  value: unknown;
}

/** What a prop may use that depends on other inputs or on a system out there. */
export interface OptionsContext {
  /** What the connection holds, once the author has chosen one. */
  auth?: unknown;
  http: OutboundHttp;
  signal: AbortSignal;
  /** What the author has typed to find an option. */
  searchValue?: string;
}

type OtherInputs = Readonly<Record<string, unknown>>;

/** The choices there are, or a question to the system out there which they are. */
export type Choices = readonly Choice[] | ((input: OtherInputs, context: OptionsContext) => Promise<readonly Choice[]>);

/** More inputs, which may depend on the others. They are asked for at every run too, so keep it cheap. */
type MoreProps = (input: OtherInputs, context: OptionsContext) => Props | Promise<Props>;

export type Prop =
  /** `date`: ISO 8601. `file`: the URL of a file. `any`: a JSON value as it is; `json`: the same, and text is parsed. */
  | (Described & { kind: 'checkbox' | 'number' | 'array' | 'object' | 'json' | 'any' | 'date' | 'file' })
  /** `isSecret`: not to be shown while it is typed. */
  | (Described & { kind: 'text'; isSecret?: boolean })
  | (Described & { kind: 'dropdown' | 'multi_select'; options: Choices })
  | (Described & { kind: 'dynamic'; props: MoreProps });

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

/** Props that are always the same are known here; others are not. */
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

/** The input an action's code gets, as its props say. */
export type InputOf<P extends Props> = {
  [Name in keyof P]: P[Name] extends { required: true } | { defaultValue: NonNullable<unknown> } | { kind: 'dynamic' }
    ? ValueOf<P[Name]>
    : ValueOf<P[Name]> | undefined;
};
