import {
  CLIENT_AUTHENTICATIONS,
  CONNECTION_TYPES,
  DISPLAY_NAME,
  InvalidRequestError,
  GRANT_TYPES,
  isJsonObject,
  JsonReader,
  oneOf,
  optional,
  RequestProblems,
  schemaRef,
  shapeOf,
  text,
  worded,
  type ConnectionType,
  type ConnectionValue,
  type JsonSchema,
  type Member,
  type OAuth2Client,
  type OAuth2Value,
  type ValueOf,
} from '@millrace/domain';

const MAX_EXTERNAL_ID_LENGTH = 255;
/** A text without white space and without invisible characters. */
const VISIBLE = /^[^\s\p{C}]+$/u;

export interface ConnectionRequest {
  projectId: string;
  externalId: string;
  displayName: string;
  value: Exclude<ConnectionValue, OAuth2Value> | OAuth2Request;
  /** The piece that says whether the connection works. Null when none is asked. */
  pieceName: string | null;
  pieceVersion: string | null;
}

/** What a person gives for a connection by OAuth 2.0. The api gets the tokens for it. */
export type OAuth2Request = { type: 'OAUTH2' } & Omit<OAuth2Client, 'client_id' | 'token_url'> & {
    /** Null when the piece, or its sign-in that was begun, knows it. */
    client_id: string | null;
    token_url: string | null;
    code: string | null;
    state: string | null;
    code_verifier: string | null;
  };

/**
 * Reads the body of `POST /connections`. The type decides which shape the value must have. Throws InvalidRequestError.
 */
export function parseConnectionRequest(body: unknown): ConnectionRequest {
  if (!isJsonObject(body)) throw new InvalidRequestError([{ path: '', message: 'must be a JSON object.' }]);
  const reader = new JsonReader(body, '', new RequestProblems());
  const { projectId, externalId, displayName, value, pieceName = null, pieceVersion = null } = REQUEST.read(reader);
  reader.refuseOthers();
  reader.throwIfWrong();
  return { projectId, externalId, displayName, value, pieceName, pieceVersion };
}

const EXTERNAL_ID: Member<string> = {
  read(reader, name) {
    const externalId = reader.requiredText(name);
    if (typeof reader.any(name) !== 'string') return externalId;
    if (externalId.length > MAX_EXTERNAL_ID_LENGTH)
      reader.wrong(name, `must have at most ${MAX_EXTERNAL_ID_LENGTH} characters.`);
    else if (!VISIBLE.test(externalId)) reader.wrong(name, 'must be visible characters, without white space.');
    return externalId;
  },
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_EXTERNAL_ID_LENGTH,
    description:
      "The name of the connection in expressions: `connections['…']`. It is unique in the project and has no white space.",
    example: 'warehouse',
  },
};

const TYPE: Member<ConnectionType | null> = {
  read(reader, name) {
    const type = CONNECTION_TYPES.find((known) => known === reader.any(name));
    if (type !== undefined) return type;
    reader.wrong(name, `must be one of ${CONNECTION_TYPES.join(', ')}.`);
    return null;
  },
  schema: { type: 'string', enum: CONNECTION_TYPES },
};

const PROPS: Member<Record<string, unknown>> = {
  read(reader, name) {
    reader.needs(name);
    return reader.object(name, {});
  },
  schema: {
    type: 'object',
    additionalProperties: true,
    description: 'The members that expressions read from the connection.',
  },
};

const MAX_TEXT = 4_000;
const MAX_NAME = 214;

const URL_TEXT: Member<string> = {
  read(reader, name) {
    const url = reader.requiredText(name);
    const parsed = URL.canParse(url) ? new URL(url) : null;
    if (typeof reader.any(name) !== 'string' || url === '') return url;
    if (url.length > MAX_TEXT || (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:'))
      reader.wrong(name, 'must be an https URL.');
    return url;
  },
  schema: { type: 'string', format: 'uri', maxLength: MAX_TEXT },
};

/** The value of a connection of each type. */
const VALUES = {
  SECRET_TEXT: shapeOf({ secret_text: text({ minLength: 1 }) }),
  BASIC_AUTH: shapeOf({ username: text({ minLength: 1 }), password: text() }),
  CUSTOM_AUTH: shapeOf({ props: PROPS }),
  OAUTH2: shapeOf({
    client_id: worded(optional(text({ minLength: 1, maxLength: MAX_TEXT })), {
      description: 'Required, unless the person signed in to the provider of a piece, or its app is meant.',
    }),
    client_secret: worded(optional(text({ maxLength: MAX_TEXT })), {
      description: 'Absent for a public client, and for the app of a piece.',
    }),
    authorization_url: optional(URL_TEXT),
    token_url: worded(optional(URL_TEXT), { description: 'Required, unless a piece knows it.' }),
    scope: worded(optional(text({ maxLength: MAX_TEXT })), { description: 'Scopes, separated by spaces.' }),
    redirect_url: optional(URL_TEXT),
    grant_type: oneOf(GRANT_TYPES, 'authorization_code'),
    authorization_method: oneOf(CLIENT_AUTHENTICATIONS, 'BODY'),
    props: worded(optional(PROPS), {
      description: 'What the piece asks for before a person signs in, with `client_credentials`.',
    }),
    code: worded(optional(text({ minLength: 1, maxLength: MAX_TEXT })), {
      description: 'The code that the provider gave to the redirect URL. `client_credentials` needs none.',
    }),
    state: worded(optional(text({ minLength: 1, maxLength: MAX_TEXT })), {
      description: 'The state of the authorization URL, with its code. It is used once.',
    }),
    code_verifier: worded(optional(text({ minLength: 43, maxLength: 128 })), {
      description: 'The PKCE verifier of a caller that made its own authorization URL. It takes the place of `state`.',
    }),
  }),
  NO_AUTH: shapeOf({}),
};

/** Stands for a value that could not be read; the reader has recorded the problem. */
const NO_VALUE: ConnectionRequest['value'] = { type: 'SECRET_TEXT', secret_text: '' };

type OAuth2Given = { type: 'OAUTH2' } & ValueOf<(typeof VALUES)['OAUTH2']>;

const oauth2Request = (value: OAuth2Given): OAuth2Request => ({
  ...value,
  client_id: value.client_id ?? null,
  token_url: value.token_url ?? null,
  props: value.props,
  client_secret: value.client_secret ?? '',
  authorization_url: value.authorization_url ?? null,
  scope: value.scope ?? '',
  redirect_url: value.redirect_url ?? null,
  code: value.code ?? null,
  state: value.state ?? null,
  code_verifier: value.code_verifier ?? null,
});

/** The value, in the shape of its type. */
const VALUE: Member<ConnectionRequest['value']> = {
  read(reader, name) {
    const type = CONNECTION_TYPES.find((known) => known === reader.any('type'));
    if (type === 'NO_AUTH' && !reader.has(name)) return { type };
    reader.needs(name);
    if (type === undefined || reader.object(name, null) === null) return NO_VALUE;
    const inside = reader.inside(name);
    const value = { type, ...VALUES[type].read(inside) };
    inside.refuseOthers();
    return value.type === 'OAUTH2' ? oauth2Request(value as OAuth2Given) : (value as ConnectionRequest['value']);
  },
  schema: {
    anyOf: ['SecretTextValue', 'BasicAuthValue', 'CustomAuthValue', 'OAuth2Value', 'NoAuthValue'].map(schemaRef),
    description: 'The secret, in the shape that `type` defines. It is stored encrypted, and never answered again.',
  },
};

const REQUEST = shapeOf({
  projectId: text(),
  externalId: EXTERNAL_ID,
  displayName: worded(DISPLAY_NAME, { example: 'Warehouse' }),
  type: TYPE,
  value: VALUE,
  pieceName: worded(optional(text({ minLength: 1, maxLength: MAX_NAME })), {
    description: 'A piece that is asked whether the connection works. One that it refuses is not stored.',
    example: 'smtp',
  }),
  pieceVersion: worded(optional(text({ minLength: 1, maxLength: MAX_NAME })), {
    description: 'The version of the piece, when it is a package. Without it the newest installed one is asked.',
  }),
});

/** The schemas of the body and of what it refers to. */
export const CONNECTION_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  UpsertConnection: REQUEST.schema,
  SecretTextValue: VALUES.SECRET_TEXT.schema,
  BasicAuthValue: VALUES.BASIC_AUTH.schema,
  CustomAuthValue: VALUES.CUSTOM_AUTH.schema,
  OAuth2Value: VALUES.OAUTH2.schema,
  NoAuthValue: VALUES.NO_AUTH.schema,
};
