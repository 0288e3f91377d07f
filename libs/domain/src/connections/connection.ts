import type { Page, PageRequest } from '../page';
import { readOAuth2, type OAuth2Value } from './oauth2-value';

/** Each type of connection has its own shape of value: see `ConnectionValue`. */
export const CONNECTION_TYPES = ['SECRET_TEXT', 'BASIC_AUTH', 'CUSTOM_AUTH', 'OAUTH2', 'NO_AUTH'] as const;
export type ConnectionType = (typeof CONNECTION_TYPES)[number];

export const CONNECTION_STATUSES = ['ACTIVE', 'ERROR'] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/** A secret that flows of a project use by its external id. Its value can be replaced, and is never shown again. */
export interface Connection {
  id: string;
  projectId: string;
  /** The name that expressions use: `connections['…']`. It is unique in the project. */
  externalId: string;
  displayName: string;
  type: ConnectionType;
  /** In error, steps that use the connection fail, until somebody replaces it. */
  status: ConnectionStatus;
  /** Why the connection is in error; null when it is not. */
  statusReason: string | null;
  created: Date;
  updated: Date;
}

export type ConnectionValue =
  | { type: 'SECRET_TEXT'; secret_text: string }
  | { type: 'BASIC_AUTH'; username: string; password: string }
  | { type: 'CUSTOM_AUTH'; props: Readonly<Record<string, unknown>> }
  | { type: 'NO_AUTH' }
  | OAuth2Value;

/** A connection as runs find it. `problem` is a sentence that says why its value cannot be used. */
export type FoundConnection =
  | { id: string; value: ConnectionValue; problem?: undefined }
  | { id: string; value?: undefined; problem: string };

/** A flow whose latest version names a connection. */
export interface ConnectionUse {
  id: string;
  displayName: string;
}

export interface ConnectionFilter {
  projectId: string;
  externalIds?: readonly string[];
}

/** The connections that people manage. A connection of another project counts as unknown. */
export abstract class ConnectionRepository {
  /** Makes the connection, or replaces the value and the name of the project's connection with this external id. */
  abstract upsert(connection: Connection, value: ConnectionValue): Promise<Connection>;
  /** Throws EntityNotFoundError. */
  abstract get(connectionId: string, projectIds: readonly string[] | 'any'): Promise<Connection>;
  /** The flows of the project whose latest version names the connection, at most 100. */
  abstract usesOf(connection: Connection): Promise<ConnectionUse[]>;
  /** Lists the connections, newest first. */
  abstract list(filter: ConnectionFilter, page: PageRequest): Promise<Page<Connection>>;
  /** Throws EntityNotFoundError. */
  abstract delete(connectionId: string, projectIds: readonly string[] | 'any'): Promise<void>;
}

/** The values of connections, for runs. No other port gives a value back. */
export abstract class ConnectionValues {
  /** Finds the project's connections with these external ids; unknown ones are absent. */
  abstract find(projectId: string, externalIds: readonly string[]): Promise<ReadonlyMap<string, FoundConnection>>;
}

/** What an expression reads: the secret text, `{username, password}`, the custom properties, or what `readOAuth2` gives. */
export function readAs(value: ConnectionValue): unknown {
  switch (value.type) {
    case 'SECRET_TEXT':
      return value.secret_text;
    case 'BASIC_AUTH':
      return { username: value.username, password: value.password };
    case 'CUSTOM_AUTH': {
      const { signed_in_to: _ofSignIns, ...props } = value.props;
      return props;
    }
    case 'NO_AUTH':
      return {};
    case 'OAUTH2':
      return readOAuth2(value);
  }
}
