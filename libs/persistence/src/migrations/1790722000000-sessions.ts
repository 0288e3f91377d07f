import type { MigrationInterface, QueryRunner } from 'typeorm';

// A session is a family of refresh tokens; ending it deletes them. Tokens are stored as their SHA-256. A used one stays
// until it would have expired, so that its second use is noticed.
const SESSIONS = `
  create table user_session (
    id uuid primary key,
    user_id uuid not null references app_user (id),
    created timestamptz not null
  );
  create index user_session_user on user_session (user_id)`;

const TOKENS = `
  create table refresh_token (
    hash text primary key,
    session_id uuid not null references user_session (id) on delete cascade,
    expires timestamptz not null,
    used_at timestamptz,
    used_by text
  );
  create index refresh_token_session on refresh_token (session_id);
  create index refresh_token_expires on refresh_token (expires)`;

const ATTEMPTS = `
  create table sign_in_attempt (
    name text primary key,
    count int not null,
    ends_at timestamptz not null
  ) with (fillfactor = 75);
  create index sign_in_attempt_ends_at on sign_in_attempt (ends_at)`;

const KNOWN_ADDRESSES = `
  create table known_address (
    account text not null,
    address text not null,
    last_used timestamptz not null,
    primary key (account, address)
  );
  create index known_address_last_used on known_address (last_used)`;

export class Sessions1790722000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const part of [SESSIONS, TOKENS, ATTEMPTS, KNOWN_ADDRESSES]) await runner.query(part);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table refresh_token, user_session, sign_in_attempt, known_address');
  }
}
