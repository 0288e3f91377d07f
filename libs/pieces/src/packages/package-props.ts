import { isJsonObject } from '@millrace/domain';
import type { Choice, FoundChoices, OptionsContext, Prop, Props } from '../framework/props';
import { readPublishedProps, type PublishedProp, type PublishedProps } from './published-piece';

/** Asks the package for the choices of a prop, or the props that it stands for, which depend on the other inputs. */
export type AskPackage = (
  prop: string,
  input: Readonly<Record<string, unknown>>,
  context: OptionsContext,
) => Promise<unknown>;

type Shape = 'text' | 'secret' | 'number' | 'checkbox' | 'object' | 'json' | 'date' | 'file' | 'any';

/** The kinds of props that have no choices and depend on nothing. */
const SHAPES: Readonly<Record<string, Shape>> = {
  SHORT_TEXT: 'text',
  LONG_TEXT: 'text',
  COLOR: 'text',
  SECRET_TEXT: 'secret',
  NUMBER: 'number',
  CHECKBOX: 'checkbox',
  OBJECT: 'object',
  JSON: 'json',
  DATE_TIME: 'date',
  FILE: 'file',
};

const LONGEST_PLACEHOLDER = 500;

/** A text that is shown between the inputs. It is no input. */
const TEXT_BETWEEN = 'MARKDOWN';

/** Turns the props of a package into ours. A prop of a type that is not known takes any JSON value. */
export function packageProps(published: PublishedProps, ask: AskPackage): Props {
  const inputs = Object.entries(published).filter(([, { type }]) => type !== TEXT_BETWEEN);
  return Object.fromEntries(inputs.map(([name, prop]) => [name, packageProp(name, prop, ask)]));
}

function packageProp(name: string, published: PublishedProp, ask: AskPackage): Prop {
  const { type, members = {} } = published;
  switch (type) {
    case 'STATIC_DROPDOWN':
      return { ...described(published), kind: 'dropdown', ...staticChoices(published) };
    case 'STATIC_MULTI_SELECT_DROPDOWN':
      return { ...described(published), kind: 'multi_select', ...staticChoices(published) };
    case 'DROPDOWN':
      return { ...described(published), kind: 'dropdown', options: choicesFrom(name, ask) };
    case 'MULTI_SELECT_DROPDOWN':
      return { ...described(published), kind: 'multi_select', options: choicesFrom(name, ask) };
    case 'DYNAMIC':
      return { ...described(published), kind: 'dynamic', takesAnyMembers: true, props: propsFrom(name, ask) };
    case 'ARRAY':
      return { ...described(published), kind: 'array', ...itemMembers(members) };
    default:
      return simpleProp(SHAPES[type] ?? 'any', published);
  }
}

const staticChoices = ({ choices = [], hasMoreChoices }: PublishedProp) => ({
  options: choices,
  ...(hasMoreChoices && { hasMoreOptions: true }),
});

function simpleProp(shape: Shape, published: PublishedProp): Prop {
  if (shape === 'secret') return { ...described(published), kind: 'text', isSecret: true };
  return { ...described(published), kind: shape };
}

/** What a member of a list is whose choices or inputs the package would have to be asked for: it has no name for them. */
const UNASKED: Readonly<Record<string, string>> = {
  DROPDOWN: 'ANY',
  MULTI_SELECT_DROPDOWN: 'ARRAY',
  DYNAMIC: 'OBJECT',
};

/** The members of the items of a list. A list that declares none has items of any kind. */
function itemMembers(published: PublishedProps): { members?: Props } {
  const unasked = Object.entries(published).map(([name, prop]) => [
    name,
    { ...prop, type: UNASKED[prop.type] ?? prop.type },
  ]);
  const members = packageProps(Object.fromEntries(unasked) as PublishedProps, nobody);
  return Object.keys(members).length > 0 ? { members } : {};
}

const nobody: AskPackage = () => Promise.resolve(null);

const described = ({ displayName, description, required, defaultValue }: PublishedProp) => ({
  displayName,
  required,
  ...(description === undefined ? {} : { description }),
  ...(defaultValue === undefined ? {} : { defaultValue }),
});

const choicesFrom =
  (name: string, ask: AskPackage) =>
  async (input: Readonly<Record<string, unknown>>, context: OptionsContext): Promise<FoundChoices> =>
    readAnsweredChoices(await ask(name, input, context));

/** Reads the choices that a package answered. */
function readAnsweredChoices(answered: unknown): FoundChoices {
  const { options, placeholder } = isJsonObject(answered) ? answered : {};
  const choices = (Array.isArray(options) ? (options as unknown[]) : []).flatMap((option): Choice[] => {
    const { label, value } = isJsonObject(option) ? option : {};
    return value === undefined ? [] : [{ label: typeof label === 'string' ? label : JSON.stringify(value), value }];
  });
  const says = typeof placeholder === 'string' && placeholder !== '' && choices.length === 0;
  return { options: choices, ...(says && { placeholder: placeholder.slice(0, LONGEST_PLACEHOLDER) }) };
}

/** Further props that the package answers. They came as data, so none of them can ask the package again. */
const propsFrom =
  (name: string, ask: AskPackage) =>
  async (input: Readonly<Record<string, unknown>>, context: OptionsContext): Promise<Props> =>
    packageProps(readPublishedProps(await ask(name, input, context)), nobody);
