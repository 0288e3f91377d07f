import type { MigrationInterface, QueryRunner } from 'typeorm';

// Who published a version last, and why.
const PUBLICATION = `
  alter table flow_version
    add published_at timestamptz,
    add published_by text,
    add publish_note text;
`;

export class Publications1790791000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PUBLICATION);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table flow_version drop published_at, drop published_by, drop publish_note');
  }
}
