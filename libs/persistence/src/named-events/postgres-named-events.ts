import {
  eventOutput,
  IntakeGate,
  MAX_RUN_DEPTH,
  NamedEvents,
  passesFilter,
  RunTooDeepError,
  triggerRunKey,
  type EventSource,
  type NamedEvent,
  type NewRun,
  type TriggerPlan,
} from '@millrace/domain';
import { Injectable, Optional } from '@nestjs/common';
import { Pool } from 'pg';
import { inTransaction, type Queryable } from '../postgres/in-transaction';
import { newId } from '../postgres/new-id';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { RunsInTransaction, type PreparedRuns } from '../runs/runs-in-transaction';

const LISTENERS = `
  select flow_id, flow_version_id, plan from trigger_state
  where project_id = $1 and event_name = $2 and is_enabled
  order by flow_id`;

/** The most runs of one statement. */
const RUNS_PER_STATEMENT = 500;

interface Listener {
  flow_id: string;
  flow_version_id: string;
  /** A TriggerPlan as JSON. */
  plan: string;
}

@Injectable()
export class PostgresNamedEvents extends NamedEvents {
  constructor(
    private readonly pool: Pool,
    private readonly runs: RunsInTransaction,
    @Optional() private readonly gate?: IntakeGate,
  ) {
    super();
  }

  override async publish(event: NamedEvent, source: EventSource): Promise<number> {
    if ((source.depth ?? 0) > MAX_RUN_DEPTH) throw new RunTooDeepError(MAX_RUN_DEPTH);
    const listeners = await this.listenersOf(event, source);
    if (listeners.length === 0) return 0;
    this.gate?.admit(source.projectId);
    const prepared = await this.runs.prepare(listeners.map((listener) => runOf(event, source, listener)));
    const inserted = await inTransaction(this.pool, (tx) => this.insert(tx, prepared));
    await this.runs.enqueue(prepared, inserted);
    return inserted.size;
  }

  private async listenersOf(event: NamedEvent, { projectId }: EventSource): Promise<Listener[]> {
    const output = JSON.parse(eventOutput(event, new Date())) as unknown;
    const found = await this.pool.query<Listener>(LISTENERS, [projectId, event.name]).catch((error: unknown) => {
      throw nameDatabaseError(error);
    });
    return found.rows.filter(({ plan }) => passesFilter((JSON.parse(plan) as TriggerPlan).event?.filter, output));
  }

  private async insert(tx: Queryable, prepared: PreparedRuns): Promise<ReadonlySet<string>> {
    const inserted = new Set<string>();
    for (let start = 0; start < prepared.length; start += RUNS_PER_STATEMENT)
      for (const id of await this.runs.insert(tx, prepared.slice(start, start + RUNS_PER_STATEMENT))) inserted.add(id);
    return inserted;
  }
}

function runOf(event: NamedEvent, { projectId, triggeredBy, depth }: EventSource, listener: Listener): NewRun {
  return {
    id: newId(),
    projectId,
    flowId: listener.flow_id,
    flowVersionId: listener.flow_version_id,
    environment: 'PRODUCTION',
    triggeredBy,
    triggerType: 'APP_WEBHOOK',
    idempotencyKey: triggerRunKey(`event:${event.name}:${event.id}`),
    payload: eventOutput(event, new Date()),
    ...(depth !== undefined && { depth }),
  };
}
