import { normalizedEmail } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import type { MigrationInterface, QueryRunner } from 'typeorm';

// Addresses are stored in one form from now on. JavaScript makes it, because lower() of PostgreSQL leaves letters outside
// ASCII as they are in some locales. Two users whose addresses differ only by form keep them: nobody can tell which of
// them is meant.

const MAY_DIFFER = `email <> lower(email) or email ~ '[^ -~]'`;
const USERS = `select id, email from app_user where deleted_at is null and (${MAY_DIFFER})`;
const RENAME = `
  update app_user set email = $2
  where id = $1 and not exists (select from app_user where id <> $1 and email = $2 and deleted_at is null)
  returning id`;
const INVITATIONS = `select id, email from user_invitation where ${MAY_DIFFER}`;
const RENAME_INVITATION = 'update user_invitation set email = $2 where id = $1';

interface Addressed {
  id: string;
  email: string;
}

export class NormalizedEmails1790766000000 implements MigrationInterface {
  private readonly logger = new Logger('Migration');

  async up(runner: QueryRunner): Promise<void> {
    const users = (await runner.query(USERS)) as Addressed[];
    const withForm = users.map((user) => ({ ...user, form: normalizedEmail(user.email) }));
    for (const { id, form } of withForm.filter((user) => user.form !== user.email)) {
      const isShared = withForm.some((other) => other.id !== id && other.form === form);
      const [renamed] = isShared ? [[]] : ((await runner.query(RENAME, [id, form])) as [unknown[], number]);
      if (renamed.length === 0) this.logger.warn(`User ${id} keeps an address that another user has in another form.`);
    }
    const invitations = (await runner.query(INVITATIONS)) as Addressed[];
    for (const { id, email } of invitations) await runner.query(RENAME_INVITATION, [id, normalizedEmail(email)]);
  }

  /** The other forms are not known any more, and nobody needs them. */
  async down(): Promise<void> {}
}
