import type { MigrationInterface, QueryRunner } from 'typeorm';

// What the gateway reads of connections, sealed with the data keys for webhooks. A row without a value stands for a
// connection that does not exist now.

export class SharedConnections1790764000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table shared_connection (
        project_id uuid not null references project (id) on delete cascade,
        external_id text not null,
        value bytea,
        primary key (project_id, external_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table shared_connection');
  }
}
