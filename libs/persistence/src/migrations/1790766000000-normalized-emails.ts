import type { MigrationInterface, QueryRunner } from 'typeorm';

// Addresses are stored in one form from now on. Two users whose addresses differ only by form keep them: nobody can
// tell which of them is meant.
const USERS = `
  update app_user set email = lower(normalize(email, NFKC))
  where deleted_at is null and email <> lower(normalize(email, NFKC)) and not exists (
    select from app_user other
    where other.id <> app_user.id and lower(normalize(other.email, NFKC)) = lower(normalize(app_user.email, NFKC)))`;

const INVITATIONS = `
  update user_invitation set email = lower(normalize(email, NFKC)) where email <> lower(normalize(email, NFKC))`;

export class NormalizedEmails1790766000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const part of [USERS, INVITATIONS]) await runner.query(part);
  }

  /** The other forms are not known any more, and nobody needs them. */
  async down(): Promise<void> {}
}
