import { answerOf, GET, POST, type Schemas } from '../api/client';
import { queryClient } from '../api/queries';
import { needsConsent, type ConnectionType, type ConnectionValue, type Given } from './connection-fields';
import { consentTo, redirectUrl } from './consent';
import { words } from './words';

export interface ConnectionRequest {
  projectId: string;
  displayName: string;
  externalId: string;
  type: ConnectionType;
  value: ConnectionValue;
  /** The piece that is asked whether the connection works, and to whose provider a person signs in. */
  pieceName?: string;
  pieceVersion?: string;
}

/** A connection that was stored, with the reason why nobody was asked whether it works. */
export type StoredConnection = Schemas['UpsertedConnection'];

/** Makes the connection, or replaces the one with the same external id, and has all lists of connections read again. */
async function upsert(request: ConnectionRequest): Promise<StoredConnection> {
  const connection = await answerOf(POST('/api/v1/connections', { body: request }));
  await queryClient.invalidateQueries({ queryKey: ['connections'] });
  return connection;
}

/** Throws an Error when the project has a connection with this external id: making another would replace that. */
export async function assertFree({ projectId, externalId }: ConnectionRequest): Promise<void> {
  const query = { projectId, externalIds: [externalId], limit: 1 };
  const { data } = await answerOf(GET('/api/v1/connections', { params: { query } }));
  if (data.length > 0) throw new Error(words.taken(externalId));
}

interface Consenting {
  /** Is called with the page of the provider, where the person gives consent. */
  onAsk: (address: string) => void;
  /** Ends the wait for the person. */
  signal: AbortSignal;
}

/** Connects with what was given. Where a person has to consent, it waits for that first. */
export async function connect(
  request: ConnectionRequest,
  given: Given,
  consenting: Consenting,
): Promise<StoredConnection> {
  if (request.type !== 'OAUTH2' || !needsConsent(given)) return upsert(request);
  const redirect = redirectUrl();
  const { authorizationUrl, state } = await answerOf(
    POST('/api/v1/connections/oauth2/authorization-url', {
      body: { projectId: request.projectId, redirect_url: redirect, ...whereToConsent(request, given) },
    }),
  );
  const answer = consentTo(state, consenting.signal);
  consenting.onAsk(authorizationUrl);
  const { code, error } = await answer;
  if (code === null) throw new Error(words.refused(error ?? ''));
  return upsert({ ...request, value: { ...request.value, code, state, redirect_url: redirect } });
}

/** What tells the page of the provider: its address, or the piece that knows it. */
function whereToConsent({ value, pieceName, pieceVersion }: ConnectionRequest, given: Given) {
  const { client_id: clientId = '', authorization_url: address = '', scope = '' } = given;
  if (pieceName === undefined) return { client_id: clientId, authorization_url: address, scope };
  return {
    pieceName,
    pieceVersion,
    ...(clientId && { client_id: clientId }),
    props: 'props' in value ? value.props : {},
  };
}
