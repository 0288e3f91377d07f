import {
  AppEvents,
  IntakeGate,
  ServiceUnavailableError,
  triggerRunKey,
  type AppEvent,
  type ArrivingRun,
  type StoredPayload,
} from '@millrace/domain';
import { Injectable, Optional } from '@nestjs/common';
import { Pool } from 'pg';
import { inTransaction } from '../postgres/in-transaction';
import { newId } from '../postgres/new-id';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { storableText } from '../postgres/stored-json';
import { encodePayload } from '../postgres/stored-payload';
import { RunsInTransaction } from '../runs/runs-in-transaction';

/** The most runs of one event. */
const MOST_RUNS = 10_000;
/** The most runs of one transaction. What is committed is not started again when the event is repeated. */
const RUNS_AT_ONCE = 500;

const LISTENERS = `
  select flow.id as "flowId", flow.project_id as "projectId", flow.published_version_id as "flowVersionId"
  from app_listener listener join flow on flow.id = listener.flow_id
  where listener.piece_name = $1 and listener.event = $2 and listener.identifier_value = $3
    and flow.status = 'ENABLED' and flow.published_version_id is not null
  order by flow.id limit ${MOST_RUNS}`;

type Listener = Pick<ArrivingRun, 'flowId' | 'projectId' | 'flowVersionId'>;

@Injectable()
export class PostgresAppEvents extends AppEvents {
  constructor(
    private readonly pool: Pool,
    private readonly runs: RunsInTransaction,
    @Optional() private readonly gate?: IntakeGate,
  ) {
    super();
  }

  override async publish(event: AppEvent): Promise<number> {
    const { admitted, refusal } = this.admitted(await this.listenersOf(event));
    const payload: StoredPayload = { stored: await encodePayload(event.payload) };
    let started = 0;
    for (let first = 0; first < admitted.length; first += RUNS_AT_ONCE)
      started += await this.start(event, admitted.slice(first, first + RUNS_AT_ONCE), payload);
    if (refusal !== null) throw refusal;
    return started;
  }

  private async start(event: AppEvent, listeners: readonly Listener[], payload: StoredPayload): Promise<number> {
    const prepared = await this.runs.prepare(listeners.map((listener) => runOf(event, listener, payload)));
    const inserted = await inTransaction(this.pool, (tx) => this.runs.insert(tx, prepared));
    await this.runs.enqueue(prepared, inserted);
    return inserted.size;
  }

  private async listenersOf({ pieceName, event, identifierValue }: AppEvent): Promise<Listener[]> {
    const values = [pieceName, event, identifierValue].map(storableText);
    try {
      return (await this.pool.query<Listener>(LISTENERS, values)).rows;
    } catch (error) {
      throw nameDatabaseError(error);
    }
  }

  /** The listeners of projects that have room, and why another has none. */
  private admitted(listeners: readonly Listener[]): { admitted: Listener[]; refusal: Error | null } {
    const refusals = new Map<string, Error>();
    for (const projectId of new Set(listeners.map((listener) => listener.projectId)))
      try {
        this.gate?.admit(projectId);
      } catch (error) {
        refusals.set(projectId, error instanceof Error ? error : new ServiceUnavailableError(String(error)));
      }
    const [refusal = null] = refusals.values();
    return { admitted: listeners.filter(({ projectId }) => !refusals.has(projectId)), refusal };
  }
}

const runOf = ({ pieceName, key }: AppEvent, listener: Listener, payload: StoredPayload): ArrivingRun => ({
  id: newId(),
  ...listener,
  environment: 'PRODUCTION',
  triggeredBy: 'webhook',
  triggerType: 'APP_WEBHOOK',
  idempotencyKey: triggerRunKey(`app-event:${pieceName}:${key}`),
  payload,
});
