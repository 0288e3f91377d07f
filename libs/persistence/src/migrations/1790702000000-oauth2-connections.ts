import type { MigrationInterface, QueryRunner } from 'typeorm';

// A process that refreshes the tokens of a connection has the row's claim until refresh_until. Each claim, and each
// replacement of the connection, counts refresh_epoch on, so that a refresh that came too late writes nothing.
const STATUS = `
  alter table connection
    add status text not null default 'ACTIVE',
    add status_reason text,
    add refresh_epoch int not null default 0,
    add refresh_until timestamptz;
`;

// An authorization that a person has begun at a provider. Whoever knows the state ends it, so only its hash is stored.
const AUTHORIZATION = `
  create table oauth2_authorization (
    state_hash bytea primary key,
    project_id uuid not null references project (id) on delete cascade,
    sealed bytea not null,
    expires timestamptz not null
  );
  create index oauth2_authorization_expires on oauth2_authorization (expires);
`;

export class OAuth2Connections1790702000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(STATUS);
    await runner.query(AUTHORIZATION);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table oauth2_authorization');
    await runner.query(
      'alter table connection drop status, drop status_reason, drop refresh_epoch, drop refresh_until',
    );
  }
}
