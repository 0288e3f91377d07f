import type { MigrationInterface, QueryRunner } from 'typeorm';

// Where a project's events are sent. A claim (claimed_until, claim_epoch) gives one process the right to send.
const DESTINATIONS = `
  create table event_destination (
    id uuid primary key,
    project_id uuid not null references project (id),
    url text not null,
    events text[] not null,
    secret bytea not null,
    status text not null,
    status_reason text,
    status_since timestamptz not null,
    failing_since timestamptz,
    claimed_until timestamptz,
    claim_epoch int not null default 0,
    created timestamptz not null,
    updated timestamptz not null
  );
  create index event_destination_project on event_destination (project_id, id)`;

// One row for each event and destination, written with the change that the event reports. Statements of runs insert
// here, so there is no foreign key: they would lock the destination's row. A row is updated at every attempt.
const DELIVERIES = `
  create table event_delivery (
    id uuid primary key,
    destination_id uuid not null,
    event_id uuid not null,
    type text not null,
    created timestamptz not null,
    data json not null,
    status text not null default 'PENDING',
    attempts int not null default 0,
    next_attempt timestamptz,
    last_attempt timestamptz,
    response_status int,
    error text
  ) with (fillfactor = 75);
  create index event_delivery_log on event_delivery (destination_id, id);
  create index event_delivery_due on event_delivery (destination_id, next_attempt) where status = 'PENDING'`;

export class EventDestinations1790680000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const part of [DESTINATIONS, DELIVERIES]) await runner.query(part);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table event_delivery, event_destination');
  }
}
