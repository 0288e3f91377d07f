import createClient, { type Middleware } from 'openapi-fetch';
import { errorOf, UnreachableError } from './api-error';
import type { components, paths } from './schema';
import { accessToken, afterLostSession, renew, signedInPerson } from './session';

export type Schemas = components['schemas'];

interface Unsent {
  request: Request;
  personId: string | undefined;
}

/** Requests as they were before they were sent, and for whom, for a second try with a new token. */
const unsent = new WeakMap<Request, Unsent>();

const authorized = (request: Request, token: string | null): Request => {
  if (token !== null) request.headers.set('authorization', `Bearer ${token}`);
  return request;
};

/**
 * Sends the access token, and a second time with a new one when it has expired. When the session has ended, the request
 * waits until its person has signed in again. It is sent for nobody else.
 */
const withSession: Middleware = {
  async onRequest({ request }) {
    const personId = signedInPerson()?.id;
    await afterLostSession();
    if (signedInPerson()?.id !== personId) return new Response(null, { status: 401 });
    unsent.set(request, { request: request.clone(), personId });
    return authorized(request, accessToken());
  },
  async onResponse({ request, response }) {
    const again = unsent.get(request);
    if (response.status !== 401 || !again) return undefined;
    await renew();
    await afterLostSession();
    const token = accessToken();
    if (token === null || signedInPerson()?.id !== again.personId) return undefined;
    return fetch(authorized(again.request, token));
  },
};

const client = createClient<paths>({ baseUrl: '/' });
client.use(withSession);

/** The routes of the API by method and path. */
export const { GET, POST, DELETE } = client;

/** Returns what the API answered. Throws ApiError when it refused, and UnreachableError when there was no answer. */
export async function answerOf<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call.catch((cause: unknown) => {
    throw new UnreachableError({ cause });
  });
  if (!response.ok) throw errorOf(response, error);
  return data as T;
}
