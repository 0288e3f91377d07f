import {
  CONNECTION_TYPES,
  InvalidRequestError,
  isJsonObject,
  JsonReader,
  MAX_DISPLAY_NAME_LENGTH,
  RequestProblems,
  type ConnectionType,
  type ConnectionValue,
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
  const request = {
    projectId: reader.requiredText('projectId'),
    externalId: externalIdOf(reader),
    displayName: displayNameOf(reader),
    value: valueOf(reader),
  };
  reader.refuseOthers();
  reader.throwIfWrong();
  return request;
}

function externalIdOf(reader: JsonReader): string {
  const externalId = reader.requiredText('externalId');
  if (typeof reader.any('externalId') !== 'string') return externalId;
  if (externalId.length > MAX_EXTERNAL_ID_LENGTH)
    reader.wrong('externalId', `must have at most ${MAX_EXTERNAL_ID_LENGTH} characters.`);
  else if (!VISIBLE.test(externalId)) reader.wrong('externalId', 'must be visible characters, without white space.');
  return externalId;
}

function displayNameOf(reader: JsonReader): string {
  const name = reader.requiredText('displayName');
  if (typeof reader.any('displayName') !== 'string') return name;
  if (name.trim() === '') reader.wrong('displayName', 'must not be blank.');
  if (name.length > MAX_DISPLAY_NAME_LENGTH)
    reader.wrong('displayName', `must have at most ${MAX_DISPLAY_NAME_LENGTH} characters.`);
  return name;
}

function typeOf(reader: JsonReader): ConnectionType | null {
  const type = CONNECTION_TYPES.find((known) => known === reader.any('type'));
  if (type !== undefined) return type;
  if (reader.any('type') === 'OAUTH2') reader.wrong('type', 'cannot be OAUTH2 yet: no piece here signs in that way.');
  else reader.wrong('type', `must be one of ${CONNECTION_TYPES.join(', ')}.`);
  return null;
}

/** Stands for a value that could not be read; the reader has recorded the problem. */
const NO_VALUE: ConnectionValue = { type: 'SECRET_TEXT', secret_text: '' };

/** Reads the value in the shape of its type. */
function valueOf(reader: JsonReader): ConnectionValue {
  const type = typeOf(reader);
  reader.needs('value');
  if (type === null || reader.object('value', null) === null) return NO_VALUE;
  const inside = reader.inside('value');
  const value = VALUE_OF_TYPE[type](inside);
  inside.refuseOthers();
  return value;
}

const VALUE_OF_TYPE: Readonly<Record<ConnectionType, (reader: JsonReader) => ConnectionValue>> = {
  SECRET_TEXT: (reader) => ({ type: 'SECRET_TEXT', secret_text: textOf(reader, 'secret_text') }),
  BASIC_AUTH: (reader) => ({
    type: 'BASIC_AUTH',
    username: textOf(reader, 'username'),
    password: reader.requiredText('password'),
  }),
  CUSTOM_AUTH: (reader) => {
    reader.needs('props');
    return { type: 'CUSTOM_AUTH', props: reader.object('props', {}) };
  },
};

function textOf(reader: JsonReader, member: string): string {
  const text = reader.requiredText(member);
  if (reader.any(member) === '') reader.wrong(member, 'must not be empty.');
  return text;
}
