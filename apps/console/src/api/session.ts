import { useSyncExternalStore } from 'react';
import createClient from 'openapi-fetch';
import { remember, remembered } from '../browser/storage';
import { errorOf, UnreachableError } from './api-error';
import type { components, paths } from './schema';

// Who is signed in. The access token is in the memory of the page alone; the refresh token is in a cookie that no page
// can read. So a reload exchanges the cookie for a new access token, and what runs in the page finds no token to keep.

type Schemas = components['schemas'];
type SignedIn = Schemas['SignedIn'];

export interface Person {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  isPlatformAdministrator: boolean;
  /** The project of the person's own, if they have one. */
  projectId: string | null;
}

interface Session {
  token: string;
  person: Person;
}

/** Whether this browser has the cookie, as far as a page can know. Without it nothing is asked for. */
const HAS_COOKIE = 'hasSession';

/** undefined until the cookie was tried, null when nobody is signed in. */
let session: Session | null | undefined = remembered(HAS_COOKIE) === null ? null : undefined;
/** Whose session has ended without a sign-out. Their page stays until somebody signs in, or until it is left. */
let lost: Person | null = null;
let renewal: Promise<Session | null> | null = null;
const listeners = new Set<() => void>();
/** These routes need no token, and a 401 of them says that there is no session. */
const authentication = createClient<paths>({ baseUrl: '/' });

export const accessToken = (): string | null => session?.token ?? null;

/** The person whose page this is: who is signed in, or has to sign in again because the session has ended. */
export const signedInPerson = (): Person | null => session?.person ?? lost;

/** The same. The component is shown again when that changes. */
export const usePerson = (): Person | null => useSyncExternalStore(subscribe, signedInPerson);

/** Whether the person of this page has to sign in again. */
export const useIsSessionLost = (): boolean => useSyncExternalStore(subscribe, () => lost !== null);

/** Resolves when nobody has to sign in again: they did, somebody else did, or the page was left. */
export function afterLostSession(): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (lost !== null) return;
      listeners.delete(look);
      resolve();
    };
    listeners.add(look);
    look();
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns whether somebody is signed in; tries the cookie of an earlier visit first. Throws UnreachableError. */
export async function isSignedIn(): Promise<boolean> {
  if (session === undefined) await renew();
  return session !== null;
}

/**
 * Exchanges the cookie for a new access token, once for all callers at the same time. Returns null when the session has
 * ended.
 */
export function renew(): Promise<Session | null> {
  renewal ??= askForRenewal().finally(() => (renewal = null));
  return renewal;
}

async function askForRenewal(): Promise<Session | null> {
  const { data, error, response } = await reached(authentication.POST('/api/v1/authentication/refresh', { body: {} }));
  if (data) return enter(data);
  if (response.status !== 401 && response.status !== 403) throw errorOf(response, error);
  lost = signedInPerson();
  return enter(null);
}

/** Leaves the page of a person whose session has ended. What it waits for is given up. */
export function leaveLostPage(): void {
  lost = null;
  tellListeners();
}

/** Signs in. Throws ApiError for a wrong password and for too many tries. */
export async function signIn(email: string, password: string): Promise<void> {
  const body = { email, password, session: 'cookie' as const };
  const { data, error, response } = await reached(authentication.POST('/api/v1/authentication/sign-in', { body }));
  if (!data) throw errorOf(response, error);
  enter(data);
}

export type NewUser = Pick<
  Schemas['SignUpRequest'],
  'email' | 'password' | 'firstName' | 'lastName' | 'invitationToken'
>;

/** Makes a user, and signs in as that. Throws ApiError when nobody may, and for an invitation that is not open. */
export async function signUp(user: NewUser): Promise<void> {
  const body = { ...user, session: 'cookie' as const };
  const { data, error, response } = await reached(authentication.POST('/api/v1/authentication/sign-up', { body }));
  if (!data) throw errorOf(response, error);
  enter(data);
}

/** Ends the session in this browser. */
export async function signOut(): Promise<void> {
  const { error, response } = await reached(authentication.POST('/api/v1/authentication/sign-out', { body: {} }));
  if (!response.ok && response.status !== 401) throw errorOf(response, error);
  lost = null;
  enter(null);
}

async function reached<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw new UnreachableError({ cause: error });
  }
}

function enter(signedIn: SignedIn | null): Session | null {
  session = signedIn && { token: signedIn.token, person: personOf(signedIn) };
  if (session !== null) lost = null;
  remember(HAS_COOKIE, signedIn && 'yes');
  tellListeners();
  return session;
}

function tellListeners(): void {
  for (const listener of listeners) listener();
}

const personOf = ({ id, email, firstName, lastName, platformRole, projectId }: SignedIn): Person => ({
  id,
  email,
  firstName,
  lastName,
  isPlatformAdministrator: platformRole === 'ADMIN',
  projectId,
});
