import type { MigrationInterface, QueryRunner } from 'typeorm';

// How many requests each caller has made in a minute. The counts are over within minutes, so they are not logged.

export class RequestCounts1790731000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create unlogged table request_count (
        minute integer not null,
        name text not null,
        count integer not null,
        primary key (minute, name)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table request_count');
  }
}
