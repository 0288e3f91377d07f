import type { MigrationInterface, QueryRunner } from 'typeorm';

// The code of an authorization is tried by one request at a time, and a few times in all.
const TRIES = `
  alter table oauth2_authorization
    add tries int not null default 0,
    add tried_until timestamptz;
`;

export class AuthorizationTries1790771000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TRIES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table oauth2_authorization drop tries, drop tried_until');
  }
}
