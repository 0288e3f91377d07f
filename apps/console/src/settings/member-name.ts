import type { Member } from './member-queries';

/** The name of a member; the e-mail address of one who has given none. */
export const nameOf = ({ user: { firstName, lastName, email } }: Pick<Member, 'user'>): string =>
  `${firstName} ${lastName}`.trim() || email;
