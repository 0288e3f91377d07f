import type { MigrationInterface, QueryRunner } from 'typeorm';

// Whether an administrator has had the package installed, or has let it in since. Flows may use no other one where
// SVC_PIECE_PACKAGES is `admin`. Until now nobody noted it. The packages that are there count as an administrator's: where
// the setting has always been `admin` they are, and flows that use them must not fail with an upgrade. Whoever has
// changed the setting removes those that are unwanted.
export class PackagesOfAdministrators1790850000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table piece_package add installed_by_admin boolean not null default true');
    await runner.query('alter table piece_package alter installed_by_admin set default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table piece_package drop installed_by_admin');
  }
}
