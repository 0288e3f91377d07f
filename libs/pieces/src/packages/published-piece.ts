import { handshakeSign, isJsonObject, scheduleProblems, type HandshakeSign, type RenewalTimes } from '@millrace/domain';
import { readPublishedSignIn, type PublishedSignIn } from './published-sign-in';

// What a published package says of itself, as data. It was written by the package, so nothing in it is certain.

/** A prop of a package, as its framework writes it. */
export interface PublishedProp {
  readonly type: string;
  readonly displayName: string;
  readonly description?: string;
  readonly required: boolean;
  readonly defaultValue?: unknown;
  /** The choices of a static dropdown, or the first ones of very many. */
  readonly choices?: readonly { readonly label: string; readonly value: unknown }[];
  readonly hasMoreChoices?: true;
  /** The members of a connection that has its own. */
  readonly props?: PublishedProps;
  /** The members of each object in a list. */
  readonly members?: PublishedProps;
  /** How people sign in, of a connection by OAuth 2.0. */
  readonly signIn?: PublishedSignIn;
}

export type PublishedProps = Readonly<Record<string, PublishedProp>>;

export interface PublishedAction {
  readonly displayName: string;
  readonly description: string;
  readonly requiresAuth: boolean;
  readonly props: PublishedProps;
}

/** How a trigger of a package learns of something new. */
export const PUBLISHED_TRIGGER_TYPES = ['POLLING', 'WEBHOOK', 'APP_WEBHOOK', 'MANUAL'] as const;
export type PublishedTriggerType = (typeof PUBLISHED_TRIGGER_TYPES)[number];

export interface PublishedTrigger extends PublishedAction {
  readonly type: PublishedTriggerType;
  /** When what it has registered elsewhere is renewed; null when it never is. */
  readonly renewal: RenewalTimes | null;
  /** How the requests are known by which another service asks whether the URL is meant for it; null when none does. */
  readonly handshake: HandshakeSign | null;
}

export interface PublishedPiece {
  readonly displayName: string;
  readonly description: string;
  /** What it is for, in the words of its ecosystem. */
  readonly categories: readonly string[];
  /** The connections of which it takes one. */
  readonly auths: readonly PublishedProp[];
  /** The types of those that it checks. Null when that was not noted at its installation. */
  readonly checkedAuths: readonly string[] | null;
  readonly actions: Readonly<Record<string, PublishedAction>>;
  readonly triggers: Readonly<Record<string, PublishedTrigger>>;
}

const LONGEST_NAME = 200;
const LONGEST_DESCRIPTION = 4_000;
const MOST_ENTRIES = 500;

/** Reads what a host answered to `describe`. What has not the form that it should have is left out. */
export function readPublishedPiece(name: string, described: unknown): PublishedPiece {
  const piece = recordOf(described);
  const auth = piece['auth'];
  return {
    displayName: textOf(piece['displayName'], LONGEST_NAME) || name,
    description: textOf(piece['description'], LONGEST_DESCRIPTION),
    categories: textsOf(piece['categories']),
    auths: (Array.isArray(auth) ? (auth as unknown[]) : [auth]).flatMap((one) => readProp('auth', one) ?? []),
    checkedAuths: Array.isArray(piece['checkedAuths']) ? textsOf(piece['checkedAuths']) : null,
    actions: entriesOf(piece['actions'], readAction),
    triggers: entriesOf(piece['triggers'], readTrigger),
  };
}

function readTrigger(name: string, given: unknown): PublishedTrigger | null {
  const { type, renewConfiguration, handshakeConfiguration } = recordOf(given);
  const known = PUBLISHED_TRIGGER_TYPES.find((each) => each === type);
  if (!known) return null;
  const renewal = readRenewal(renewConfiguration);
  return { ...readAction(name, given), type: known, renewal, handshake: handshakeSign(handshakeConfiguration) };
}

/** Null when it has no cron expression, or one that never fires. */
function readRenewal(given: unknown): RenewalTimes | null {
  const { strategy, cronExpression: cron } = recordOf(given);
  if (strategy !== 'CRON' || typeof cron !== 'string') return null;
  return scheduleProblems({ cron, timezone: 'UTC' }).length > 0 ? null : { cron };
}

function readAction(name: string, given: unknown): PublishedAction {
  const action = recordOf(given);
  return {
    displayName: textOf(action['displayName'], LONGEST_NAME) || name,
    description: textOf(action['description'], LONGEST_DESCRIPTION),
    requiresAuth: action['requireAuth'] !== false,
    props: readPublishedProps(action['props']),
  };
}

/** Reads props. What has not the form of a prop is left out. */
export const readPublishedProps = (given: unknown): PublishedProps => entriesOf(given, readProp);

function readProp(name: string, given: unknown): PublishedProp | null {
  const prop = recordOf(given);
  const type = prop['type'];
  if (typeof type !== 'string') return null;
  const description = textOf(prop['description'], LONGEST_DESCRIPTION);
  const { defaultValue } = prop;
  const choices = readChoices(prop['options']);
  return {
    type,
    displayName: textOf(prop['displayName'], LONGEST_NAME) || name,
    ...(description && { description }),
    required: prop['required'] === true,
    ...(defaultValue === undefined || defaultValue === null ? {} : { defaultValue }),
    ...choices,
    ...(isJsonObject(prop['properties']) && { members: readPublishedProps(prop['properties']) }),
    ...(isJsonObject(prop['props']) && { props: readPublishedProps(prop['props']) }),
    ...(type === 'OAUTH2' && { signIn: readPublishedSignIn(prop) }),
  };
}

function readChoices(given: unknown): Pick<PublishedProp, 'choices' | 'hasMoreChoices'> {
  const { options } = recordOf(given);
  if (!Array.isArray(options)) return {};
  const choices = options.slice(0, MOST_ENTRIES).map((option: unknown) => {
    const { label, value } = recordOf(option);
    return { label: textOf(label, LONGEST_NAME) || textOf(value, LONGEST_NAME), value };
  });
  return { choices, ...(options.length > MOST_ENTRIES && { hasMoreChoices: true }) };
}

/** Reads the entries of a map. Names that objects have by themselves are left out. */
function entriesOf<To>(given: unknown, read: (name: string, value: unknown) => To | null): Record<string, To> {
  const entries = Object.entries(recordOf(given)).slice(0, MOST_ENTRIES);
  return Object.fromEntries(
    entries.flatMap(([name, value]) => {
      const made = name === '__proto__' || name.length > LONGEST_NAME ? null : read(name, value);
      return made === null ? [] : [[name, made]];
    }),
  );
}

const textsOf = (given: unknown): string[] =>
  Array.isArray(given) ? given.slice(0, MOST_ENTRIES).map((one: unknown) => textOf(one, LONGEST_NAME)) : [];

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isJsonObject(value) ? value : {});

const textOf = (value: unknown, most: number): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, most) : '';
