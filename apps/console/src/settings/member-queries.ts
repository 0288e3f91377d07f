import { queryOptions } from '@tanstack/react-query';
import { answerOf, DELETE, GET, POST, type Schemas } from '../api/client';
import { keptWithin, queryClient } from '../api/queries';
import type { Role } from './roles';

export type Member = Schemas['ProjectMember'];
export type Invitation = Schemas['UserInvitation'];

const PAGE_SIZE = 50;
const MOST_INVITATIONS = 100;

export const membersQuery = (projectId: string, cursor: string | null) =>
  queryOptions({
    queryKey: ['members', projectId, cursor],
    queryFn: ({ signal }) => {
      const query = { projectId, cursor: cursor ?? undefined, limit: PAGE_SIZE };
      return answerOf(GET('/api/v1/project-members', { params: { query }, signal }));
    },
    placeholderData: keptWithin(projectId),
  });

export const invitationsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['invitations', projectId],
    queryFn: ({ signal }) => {
      const query = { projectId, limit: MOST_INVITATIONS };
      return answerOf(GET('/api/v1/user-invitations', { params: { query }, signal }));
    },
  });

/** Invites a person. Only the answer has the token, which the person needs. */
export async function invite(projectId: string, email: string, role: Role): Promise<Schemas['CreatedInvitation']> {
  const invitation = await answerOf(POST('/api/v1/user-invitations', { body: { projectId, email, role } }));
  await queryClient.invalidateQueries({ queryKey: ['invitations'] });
  return invitation;
}

export async function takeInvitationBack(id: string): Promise<void> {
  await answerOf(DELETE('/api/v1/user-invitations/{id}', { params: { path: { id } } }));
  await queryClient.invalidateQueries({ queryKey: ['invitations'] });
}

export async function changeRole(id: string, role: Role): Promise<void> {
  await answerOf(POST('/api/v1/project-members/{id}', { params: { path: { id } }, body: { role } }));
  await queryClient.invalidateQueries({ queryKey: ['members'] });
}

export async function removeMember(id: string): Promise<void> {
  await answerOf(DELETE('/api/v1/project-members/{id}', { params: { path: { id } } }));
  await queryClient.invalidateQueries({ queryKey: ['members'] });
}
