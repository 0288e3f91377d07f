import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who performs the periodic duties, until when, and how often that changed. One row. */
export class LeaderLease1790510000000 implements MigrationInterface {
  readonly name = 'LeaderLease1790510000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table leader_lease (
        is_only_row boolean primary key default true check (is_only_row),
        holder uuid,
        epoch int not null default 0,
        expires_at timestamptz not null default now(),
        is_stand_in boolean not null default false,
        wanted_until timestamptz not null default '-infinity'
      ) with (fillfactor = 50)`);
    await queryRunner.query('insert into leader_lease default values');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table leader_lease');
  }
}
