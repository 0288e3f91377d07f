import createClient, { type Middleware } from 'openapi-fetch';
import { errorOf, UnreachableError } from './api-error';
import type { components, paths } from './schema';
import { accessToken, renew } from './session';

export type Schemas = components['schemas'];

/** Requests as they were before they were sent, for a second try with a new token. */
const unsent = new WeakMap<Request, Request>();

const authorized = (request: Request, token: string | null): Request => {
  if (token !== null) request.headers.set('authorization', `Bearer ${token}`);
  return request;
};

/** Sends the access token, and a second time with a new one when it has expired. */
const withSession: Middleware = {
  onRequest({ request }) {
    unsent.set(request, request.clone());
    return authorized(request, accessToken());
  },
  async onResponse({ request, response }) {
    const again = unsent.get(request);
    if (response.status !== 401 || !again) return undefined;
    const session = await renew();
    return session === null ? undefined : fetch(authorized(again, session.token));
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
