import type { MigrationInterface, QueryRunner } from 'typeorm';

// A user's role in a project. Requests look it up by the user.
const MEMBERS = `
  create table project_member (
    id uuid primary key,
    project_id uuid not null references project (id) on delete cascade,
    user_id uuid not null references app_user (id),
    role text not null,
    created timestamptz not null,
    updated timestamptz not null
  );
  create unique index project_member_user on project_member (user_id, project_id);
  create index project_member_project on project_member (project_id, id)`;

// Until now the owner alone had rights in a project, and all of them. The project's id is as unique as a new one.
const OWNERS = `
  insert into project_member (id, project_id, user_id, role, created, updated)
  select id, id, owner_id, 'ADMIN', created, created from project`;

// Until now every key had all rights.
const ROLES_OF_KEYS = `
  alter table api_key add column role text not null default 'ADMIN';
  alter table api_key alter column role drop default`;

export class ProjectMembers1790720000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const part of [MEMBERS, OWNERS, ROLES_OF_KEYS]) await runner.query(part);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table api_key drop column role');
    await runner.query('drop table project_member');
  }
}
