import type { MigrationInterface, QueryRunner } from 'typeorm';

// The keys that seal secrets, each wrapped by the encryption key of the installation; wrapped_by names that key. A
// project has one for each purpose. Those without a project belong to the installation. Deleting a project makes what
// its keys sealed unreadable, in backups too.
const DATA_KEY = `
  create table data_key (
    id uuid primary key,
    purpose text not null,
    project_id uuid references project (id) on delete cascade,
    wrapped bytea not null,
    wrapped_by text not null,
    created timestamptz not null
  );
  create unique index data_key_owner on data_key
    (purpose, coalesce(project_id, '00000000-0000-0000-0000-000000000000'));
  create index data_key_wrapped_by on data_key (wrapped_by, id);
`;

// A secret outlives its flow until the last hook of the flow was called, so it names the project itself.
const PROJECT_OF_SECRETS = `
  alter table trigger_secret add project_id uuid;
  update trigger_secret secret set project_id = coalesce(
    (select project_id from flow where id = secret.flow_id),
    (select project_id from trigger_operation where flow_id = secret.flow_id limit 1)
  );
  delete from trigger_secret where project_id is null;
  alter table trigger_secret alter project_id set not null;
`;

export class DataKeys1790700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(DATA_KEY);
    await runner.query(PROJECT_OF_SECRETS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table trigger_secret drop project_id');
    await runner.query('drop table data_key');
  }
}
