import type { MigrationInterface, QueryRunner } from 'typeorm';

// How the issuer of OAuth 2.0 access tokens calls a user. A user has one identity, and nobody else has the same.

export class IssuerIdentities1790732000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table app_user add oauth_issuer text, add oauth_subject text');
    await runner.query('create unique index app_user_oauth on app_user (oauth_issuer, oauth_subject)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table app_user drop oauth_issuer, drop oauth_subject');
  }
}
