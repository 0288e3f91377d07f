import type { MigrationInterface, QueryRunner } from 'typeorm';

// The apps that administrators have registered with the providers of pieces. `secrets` is sealed, and has the secret of
// the client and that of the app's events.
const OAUTH_APPS = `
  create table oauth_app (
    id uuid primary key,
    piece_name text not null constraint oauth_app_piece unique,
    client_id text not null,
    has_webhook_secret boolean not null,
    secrets bytea not null,
    created timestamptz not null,
    updated timestamptz not null
  )`;

export class OAuthApps1790830000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(OAUTH_APPS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table oauth_app');
  }
}
