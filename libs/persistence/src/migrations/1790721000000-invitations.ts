import type { MigrationInterface, QueryRunner } from 'typeorm';

// The token is stored as its SHA-256. An invitation that a key has made ends with the key.
const INVITATIONS = `
  create table user_invitation (
    id uuid primary key,
    project_id uuid not null references project (id) on delete cascade,
    email text not null,
    role text not null,
    token_hash text not null,
    invited_by uuid not null references app_user (id),
    invited_by_key_id uuid references api_key (id) on delete cascade,
    expires timestamptz not null,
    created timestamptz not null
  );
  create unique index user_invitation_token on user_invitation (token_hash);
  create index user_invitation_project on user_invitation (project_id, id);
  create index user_invitation_key on user_invitation (invited_by_key_id) where invited_by_key_id is not null`;

// A key that a key has made ends with it.
const DESCENT_OF_KEYS = `
  alter table api_key add column made_by_key_id uuid references api_key (id) on delete cascade;
  create index api_key_made_by on api_key (made_by_key_id, id) where made_by_key_id is not null;
  create index api_key_creator on api_key (created_by)`;

// The row of a deleted user stays, without what it said of the person: flows and runs refer to it.
const DELETED_USERS = 'alter table app_user add column deleted_at timestamptz';

export class Invitations1790721000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const part of [INVITATIONS, DESCENT_OF_KEYS, DELETED_USERS]) await runner.query(part);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table app_user drop column deleted_at');
    await runner.query('drop table user_invitation');
    await runner.query('alter table api_key drop column made_by_key_id');
    await runner.query('drop index api_key_creator');
  }
}
