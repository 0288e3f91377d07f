import type { MigrationInterface, QueryRunner } from 'typeorm';

// Who wanted the package of a WANTED row, and from which address. The transaction that settles its installation writes
// both to the audit log. An installation that began before this is told as the service's own.
export class WhoWantedPackages1790851000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table piece_package add wanted_by text, add wanted_from text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table piece_package drop wanted_by, drop wanted_from');
  }
}
