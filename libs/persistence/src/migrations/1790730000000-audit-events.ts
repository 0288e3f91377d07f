import type { MigrationInterface, QueryRunner } from 'typeorm';

// Events outlive what they tell of, so nothing is referenced.
const AUDIT_EVENT = `
  create table audit_event (
    id uuid primary key,
    created timestamptz not null,
    project_id uuid,
    actor text not null,
    address text,
    action text not null,
    target_type text not null,
    target_id text not null,
    details json not null
  );
  create index audit_event_project on audit_event (project_id, id);
  create index audit_event_target on audit_event (target_id, id);
`;

// The log is append-only. Only the retention deletes, after saying so in its transaction.
const APPEND_ONLY = `
  create function refuse_audit_change() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' and current_setting('millrace.audit_retention', true) = 'on' then return old; end if;
    raise exception 'The audit log is append-only.';
  end $$;
  create trigger audit_event_append_only before update or delete on audit_event
    for each row execute function refuse_audit_change();
`;

export class AuditEvents1790730000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(AUDIT_EVENT);
    await runner.query(APPEND_ONLY);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table audit_event');
    await runner.query('drop function refuse_audit_change');
  }
}
