import {
  CONNECTION_TYPES,
  DISPLAY_NAME,
  InvalidRequestError,
  isJsonObject,
  JsonReader,
  RequestProblems,
  schemaRef,
  shapeOf,
  text,
  worded,
  type ConnectionType,
  type ConnectionValue,
  type JsonSchema,
  type Member,
} from '@millrace/domain';

const MAX_EXTERNAL_ID_LENGTH = 255;
/** A text without white space and without invisible characters. */
const VISIBLE = /^[^\s\p{C}]+$/u;

export interface ConnectionRequest {
  projectId: string;
  externalId: string;
  displayName: string;
  value: ConnectionValue;
}

/**
 * Reads the body of `POST /connections`. The type decides which shape the value must have. Throws InvalidRequestError.
 */
export function parseConnectionRequest(body: unknown): ConnectionRequest {
  if (!isJsonObject(body)) throw new InvalidRequestError([{ path: '', message: 'must be a JSON object.' }]);
  const reader = new JsonReader(body, '', new RequestProblems());
  const { projectId, externalId, displayName, value } = REQUEST.read(reader);
  reader.refuseOthers();
  reader.throwIfWrong();
  return { projectId, externalId, displayName, value };
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
    if (reader.any(name) === 'OAUTH2') reader.wrong(name, 'cannot be OAUTH2 yet: no piece here signs in that way.');
    else reader.wrong(name, `must be one of ${CONNECTION_TYPES.join(', ')}.`);
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

/** The value of a connection of each type. */
const VALUES = {
  SECRET_TEXT: shapeOf({ secret_text: text({ minLength: 1 }) }),
  BASIC_AUTH: shapeOf({ username: text({ minLength: 1 }), password: text() }),
  CUSTOM_AUTH: shapeOf({ props: PROPS }),
};

/** Stands for a value that could not be read; the reader has recorded the problem. */
const NO_VALUE: ConnectionValue = { type: 'SECRET_TEXT', secret_text: '' };

/** The value, in the shape of its type. */
const VALUE: Member<ConnectionValue> = {
  read(reader, name) {
    const type = CONNECTION_TYPES.find((known) => known === reader.any('type'));
    reader.needs(name);
    if (type === undefined || reader.object(name, null) === null) return NO_VALUE;
    const inside = reader.inside(name);
    const value = { type, ...VALUES[type].read(inside) } as ConnectionValue;
    inside.refuseOthers();
    return value;
  },
  schema: {
    oneOf: ['SecretTextValue', 'BasicAuthValue', 'CustomAuthValue'].map(schemaRef),
    description: 'The secret, in the shape that `type` defines. It is stored encrypted, and never answered again.',
  },
};

const REQUEST = shapeOf({
  projectId: text(),
  externalId: EXTERNAL_ID,
  displayName: worded(DISPLAY_NAME, { example: 'Warehouse' }),
  type: TYPE,
  value: VALUE,
});

/** The schemas of the body and of what it refers to. */
export const CONNECTION_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  UpsertConnection: REQUEST.schema,
  SecretTextValue: VALUES.SECRET_TEXT.schema,
  BasicAuthValue: VALUES.BASIC_AUTH.schema,
  CustomAuthValue: VALUES.CUSTOM_AUTH.schema,
};
