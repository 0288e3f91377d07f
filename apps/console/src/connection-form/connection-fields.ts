import type { Schemas } from '../api/client';
import type { Piece } from '../api/pieces';
import { TYPE_WORDS, words } from './words';

// What a person gives for a connection of each type, and how the API takes it.

export type Connection = Schemas['Connection'];
export type ConnectionType = Connection['type'];
export type ConnectionValue = Schemas['UpsertConnection']['value'];
type Auth = NonNullable<Piece['auth']>;
type Prop = NonNullable<Auth['props']>[string];

export const CONNECTION_TYPES = [
  'SECRET_TEXT',
  'BASIC_AUTH',
  'OAUTH2',
  'CUSTOM_AUTH',
  'NO_AUTH',
] as const satisfies ConnectionType[];

/** A member of the value. What is given for it is text until it is sent. */
export interface ValueField {
  name: string;
  label: string;
  kind: 'text' | 'secret' | 'number' | 'check' | 'choice';
  isRequired: boolean;
  /** What the piece says about it. */
  description?: string;
  choices?: readonly { value: string; label: string }[];
  /** Holds when nothing was given. */
  initial?: string;
}

/** What was given, by the name of the field. */
export type Given = Readonly<Record<string, string>>;

/** What a new connection is for: one of the types, or a piece that says itself what it needs. */
export interface ConnectionKind {
  id: string;
  label: string;
  type: ConnectionType;
  /** What the piece asks for; null where the type decides. */
  props: Readonly<Record<string, Prop>> | null;
  /** What the piece says about it, such as where its secret is found. */
  description?: string;
  /** The piece that says whether such a connection works, and to whose provider a person signs in. */
  checkedBy?: { pieceName: string; pieceVersion: string };
  /** A person signs in with a client of his own, because no administrator has stored an app for the piece. */
  takesClient?: boolean;
}

const TYPE_OF_AUTH: Record<Auth['kind'], ConnectionType> = {
  secretText: 'SECRET_TEXT',
  basicAuth: 'BASIC_AUTH',
  customAuth: 'CUSTOM_AUTH',
};

/** The kind of connection that a piece needs; null when it needs none. */
export function kindOfPiece({ name, version, displayName, auth }: Piece): ConnectionKind | null {
  if (!auth) return null;
  const label = auth.displayName === displayName ? displayName : `${auth.displayName} (${displayName})`;
  const checkedBy = { pieceName: name, pieceVersion: version };
  const said = auth.description ? { description: auth.description } : {};
  return { id: idOf({ name }), label, type: TYPE_OF_AUTH[auth.kind], props: auth.props ?? null, checkedBy, ...said };
}

/** The kind by which people sign in to the provider of a piece; null when they cannot. */
function signInOf({ name, version, displayName, auth }: Piece): ConnectionKind | null {
  if (!auth?.signIn) return null;
  const { props, hasApp } = auth.signIn;
  const checkedBy = { pieceName: name, pieceVersion: version };
  return {
    id: `sign-in:${name}`,
    label: words.signIn(displayName),
    type: 'OAUTH2',
    props,
    checkedBy,
    takesClient: !hasApp,
  };
}

const idOf = ({ name }: Pick<Piece, 'name'>): string => `piece:${name}`;

/** The kind that is offered first for a piece: to sign in, where an administrator has stored an app for that. */
export const firstKindOf = (piece: Piece): string =>
  (piece.auth?.signIn?.hasApp ? signInOf(piece)?.id : undefined) ?? idOf(piece);

const kindOfType = (type: ConnectionType): ConnectionKind => ({ id: type, label: TYPE_WORDS[type], type, props: null });

/** What connections can be made for: the types, and the pieces that need one. This piece is among them in its version. */
export function connectionKinds(pieces: readonly Piece[], piece?: Piece): ConnectionKind[] {
  const others = piece ? pieces.filter(({ name }) => name !== piece.name) : pieces;
  const ofPieces = [...others, ...(piece ? [piece] : [])]
    .flatMap((each) => [kindOfPiece(each), signInOf(each)])
    .filter((kind) => kind !== null);
  return [...CONNECTION_TYPES.map(kindOfType), ...ofPieces];
}

const text = (name: string, label: string, isRequired = true): ValueField => ({
  name,
  label,
  kind: 'text',
  isRequired,
});
const secret = (name: string, label: string, isRequired = true): ValueField => ({
  ...text(name, label, isRequired),
  kind: 'secret',
});

const choicesOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

const GRANT: ValueField = {
  ...text('grant_type', words.grantType),
  kind: 'choice',
  choices: choicesOf(words.grants),
  initial: 'authorization_code',
};

const CLIENT: readonly ValueField[] = [
  text('client_id', words.clientId),
  secret('client_secret', words.clientSecret, false),
];

const OAUTH2: readonly ValueField[] = [
  GRANT,
  ...CLIENT,
  text('authorization_url', words.authorizationUrl),
  text('token_url', words.tokenUrl),
  text('scope', words.scope, false),
  {
    ...text('authorization_method', words.clientAuthentication),
    kind: 'choice',
    choices: choicesOf(words.clientAuthentications),
    initial: 'BODY',
  },
];

const FIELDS: Record<ConnectionType, readonly ValueField[]> = {
  SECRET_TEXT: [secret('secret_text', words.secretText)],
  BASIC_AUTH: [text('username', words.username), secret('password', words.password, false)],
  CUSTOM_AUTH: [],
  OAUTH2,
  NO_AUTH: [],
};

/** The fields of a kind, after what was given so far. */
export function fieldsOf({ type, props, takesClient }: ConnectionKind, given: Given): readonly ValueField[] {
  if (props) return [...(takesClient ? CLIENT : []), ...fieldsOfProps(props)];
  const needsPage = type === 'OAUTH2' && needsConsent(given);
  return FIELDS[type].filter(({ name }) => name !== 'authorization_url' || needsPage);
}

/** Whether a person gives consent on a page of the provider. */
export const needsConsent = (given: Given): boolean => (given['grant_type'] ?? GRANT.initial) === 'authorization_code';

const fieldsOfProps = (props: Readonly<Record<string, Prop>>) =>
  Object.entries(props).map(([name, prop]) => fieldOfProp(name, prop));

function fieldOfProp(name: string, prop: Prop): ValueField {
  const { displayName, required: isRequired, defaultValue, options, description } = prop;
  const said = description ? { description } : {};
  const field = { name, label: displayName, isRequired, initial: textOf(defaultValue), ...said };
  if (options) {
    const choices = options.map(({ label, value }) => ({ label, value: textOf(value) ?? '' }));
    return { ...field, kind: 'choice', choices };
  }
  if (prop.kind === 'checkbox') return { ...field, kind: 'check' };
  if (prop.kind === 'number') return { ...field, kind: 'number' };
  return { ...field, kind: prop.isSecret ? 'secret' : 'text' };
}

const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : typeof value === 'string' ? value : JSON.stringify(value);

/** The value of the connection as the API takes it. What was left empty is left out. */
export function valueOf(kind: ConnectionKind, given: Given): ConnectionValue {
  const { type, props, takesClient } = kind;
  if (type === 'OAUTH2' && props)
    return { ...(takesClient ? membersOf(CLIENT, given) : {}), props: membersOf(fieldsOfProps(props), given) };
  const members = membersOf(fieldsOf(kind, given), given);
  if (type === 'CUSTOM_AUTH') return { props: props ? members : given };
  if (type === 'BASIC_AUTH') return { username: '', password: '', ...members };
  return members;
}

const membersOf = (fields: readonly ValueField[], given: Given): Record<string, string | number | boolean> =>
  Object.fromEntries(
    fields
      .map((field) => [field.name, typed(field, given[field.name] ?? field.initial ?? '')] as const)
      .filter(([, value]) => value !== ''),
  );

function typed({ kind }: ValueField, value: string): string | number | boolean {
  if (kind === 'check') return value === 'true';
  return kind === 'number' && value !== '' ? Number(value) : value;
}

const MARKS = /\p{M}/gu;
const OTHERS = /[^a-z0-9]+/g;
const AT_THE_ENDS = /^_+|_+$/g;

/** A name for expressions, made of the name for people. */
export const externalIdOf = (name: string): string =>
  name.normalize('NFKD').replace(MARKS, '').toLowerCase().replace(OTHERS, '_').replace(AT_THE_ENDS, '').slice(0, 60);
