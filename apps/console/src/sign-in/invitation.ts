import { answerOf, POST } from '../api/client';
import { forgetProjects } from '../shell/require-session';

/** The token of the invitation that an address has behind its `#`; null when it has none. */
export const invitationIn = (hash: string): string | null => new URLSearchParams(hash.slice(1)).get('invitation');

/** Accepts the invitation as the person who is signed in. Returns the project. */
export async function accept(token: string): Promise<string> {
  const { projectId } = await answerOf(POST('/api/v1/user-invitations/accept', { body: { token } }));
  forgetProjects();
  return projectId;
}
