import { queryOptions } from '@tanstack/react-query';
import { redirect, type LoaderFunctionArgs } from 'react-router';
import { GET, answerOf, type Schemas } from '../api/client';
import { queryClient } from '../api/queries';
import { isSignedIn, leaveLostPage, signedInPerson } from '../api/session';

export interface ShellData {
  /** The projects that the person may see, the newest first. */
  projects: Schemas['Project'][];
}

export const PROJECTS_LIMIT = 100;

/** The sign-in page, which leads to this address afterwards. */
export const signInAddress = (next: string): string => `/sign-in?${new URLSearchParams({ next }).toString()}`;

/** Leads to the sign-in page, and from there back to this address, when nobody is signed in. */
export async function requireSession({ request }: LoaderFunctionArgs): Promise<ShellData | Response> {
  const { pathname, search } = new URL(request.url);
  if (!(await isSignedIn())) {
    leaveLostPage();
    return redirect(signInAddress(pathname + search));
  }
  forgetWhatOthersSaw();
  const { data } = await queryClient.ensureQueryData(projectsQuery);
  const named = new URLSearchParams(search).get('projectId');
  if (named === null || data.some(({ id }) => id === named)) return { projects: data };
  return { projects: [await queryClient.ensureQueryData(projectQuery(named)), ...data] };
}

let lastPersonId: string | undefined;

/** What the page knows belongs to the person who asked for it. Somebody else may have signed in after a session ended. */
function forgetWhatOthersSaw(): void {
  const personId = signedInPerson()?.id;
  if (lastPersonId !== undefined && lastPersonId !== personId) queryClient.clear();
  lastPersonId = personId;
}

const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: ({ signal }) => answerOf(GET('/api/v1/projects', { params: { query: { limit: PROJECTS_LIMIT } }, signal })),
});

/** A project that the address names and that is not among the newest, or not one that the person may see. */
const projectQuery = (id: string) =>
  queryOptions({
    queryKey: ['projects', id],
    queryFn: ({ signal }) => answerOf(GET('/api/v1/projects/{id}', { params: { path: { id } }, signal })),
  });

/** Has the projects read again, when the page is shown again, after one of them was changed. */
export const forgetProjects = (): void => queryClient.removeQueries({ queryKey: ['projects'] });
