import { redirect, type LoaderFunctionArgs } from 'react-router';
import { GET, answerOf, type Schemas } from '../api/client';
import { queryClient } from '../api/queries';
import { isSignedIn } from '../api/session';

export interface ShellData {
  /** The projects that the person may see; at least one. */
  projects: Schemas['Project'][];
}

export const PROJECTS_LIMIT = 100;

/** The sign-in page, which leads to this address afterwards. */
export const signInAddress = (next: string): string => `/sign-in?${new URLSearchParams({ next }).toString()}`;

/** Leads to the sign-in page, and from there back to this address, when nobody is signed in. */
export async function requireSession({ request }: LoaderFunctionArgs): Promise<ShellData | Response> {
  const { pathname, search } = new URL(request.url);
  if (!(await isSignedIn())) return redirect(signInAddress(pathname + search));
  const { data } = await queryClient.ensureQueryData({
    queryKey: ['projects'],
    queryFn: ({ signal }) =>
      answerOf(GET('/api/v1/projects', { params: { query: { limit: PROJECTS_LIMIT } }, signal })),
  });
  return { projects: data };
}
