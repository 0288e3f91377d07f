import type { MigrationInterface, QueryRunner } from 'typeorm';

// Intake asks which piece a flow's trigger is of. A version may be large, and reading one member of its JSON reads all
// of it: so the name is computed when the version is written.
const TRIGGER_PIECE = `
  alter table flow_version add trigger_piece text generated always as (trigger #>> '{settings,pieceName}') stored;
`;

export class VersionTriggers1790490000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TRIGGER_PIECE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table flow_version drop trigger_piece');
  }
}
