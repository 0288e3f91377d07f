import type { MigrationInterface, QueryRunner } from 'typeorm';

// What this service made of a package that needs others. `built_integrity` is the hash of the stored archive, which has
// all that runs. `lock` says what was installed: it stays when the package is removed, and later installations obey it.
export class BuiltPackages1790845000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table piece_package add built_integrity text, add lock text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table piece_package drop built_integrity, drop lock');
  }
}
