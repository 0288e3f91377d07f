import {
  AS_SHOWN,
  eventOutput,
  IntakeGate,
  InvalidRequestError,
  MAX_RUN_DEPTH,
  NamedEvents,
  passesFilter,
  RunTooDeepError,
  triggerRunKey,
  type ArrivingRun,
  type EventSource,
  type JsonText,
  type NamedEvent,
  type StoredPayload,
  type StoredText,
  type TriggerPlan,
} from '@millrace/domain';
import { Injectable, Optional } from '@nestjs/common';
import { Pool } from 'pg';
import { inTransaction, type Queryable } from '../postgres/in-transaction';
import { newId } from '../postgres/new-id';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { encodePayload } from '../postgres/stored-payload';
import { RunsInTransaction, type PreparedRuns } from '../runs/runs-in-transaction';

const LISTENERS = `
  select flow_id, flow_version_id, plan from trigger_state
  where project_id = $1 and event_name = $2 and is_enabled
  order by flow_id`;

const MEGABYTE = 1024 * 1024;

/** The most runs of one event, and the most bytes of their payloads as they are stored. */
const MAX_RUNS = 10_000;
const MAX_PAYLOAD_BYTES = 256 * MEGABYTE;

/** The most runs of one statement, and the most bytes of their payloads: a statement holds a copy for each run. */
const RUNS_PER_STATEMENT = 500;
const BYTES_PER_STATEMENT = 32 * MEGABYTE;

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

  override async publish(event: NamedEvent, source: EventSource, texts = AS_SHOWN): Promise<number> {
    if ((source.depth ?? 0) > MAX_RUN_DEPTH) throw new RunTooDeepError(MAX_RUN_DEPTH);
    const output = eventOutput(event, new Date());
    const listeners = await this.listenersOf(event.name, source, output);
    if (listeners.length === 0) return 0;
    // The gate has admitted the run that emits this event, as it has admitted the parent of a child.
    if (source.depth === undefined) this.gate?.admit(source.projectId);
    const payload = await payloadFor(listeners.length, texts.hide(output));
    const prepared = await this.runs.prepare(listeners.map((listener) => runOf(event, source, listener, payload)));
    const inserted = await inTransaction(this.pool, (tx) => this.insert(tx, prepared, payload));
    await this.runs.enqueue(prepared, inserted);
    return inserted.size;
  }

  private async listenersOf(name: string, { projectId }: EventSource, output: JsonText): Promise<Listener[]> {
    const found = await this.pool.query<Listener>(LISTENERS, [projectId, name]).catch((error: unknown) => {
      throw nameDatabaseError(error);
    });
    const value = JSON.parse(output) as unknown;
    return found.rows.filter(({ plan }) => passesFilter((JSON.parse(plan) as TriggerPlan).event?.filter, value));
  }

  private async insert(tx: Queryable, prepared: PreparedRuns, { stored }: StoredPayload): Promise<ReadonlySet<string>> {
    const atOnce = Math.max(1, Math.min(RUNS_PER_STATEMENT, Math.floor(BYTES_PER_STATEMENT / stored.length)));
    const inserted = new Set<string>();
    for (let start = 0; start < prepared.length; start += atOnce)
      for (const id of await this.runs.insert(tx, prepared.slice(start, start + atOnce))) inserted.add(id);
    return inserted;
  }
}

/** Encodes the payload once, for all runs. Throws InvalidRequestError when the runs would take too much at once. */
async function payloadFor(runs: number, output: StoredText): Promise<StoredPayload> {
  if (runs > MAX_RUNS)
    throw new InvalidRequestError([
      { path: '', message: `${runs} flows listen to this event, and an event starts at most ${MAX_RUNS}.` },
    ]);
  const stored = await encodePayload(output);
  if (runs * stored.length > MAX_PAYLOAD_BYTES) {
    const limit = Math.floor(MAX_PAYLOAD_BYTES / runs);
    const message = `${runs} flows listen to this event, and for so many it may take at most ${limit} bytes as stored.`;
    throw new InvalidRequestError([{ path: '', message }]);
  }
  return { stored };
}

function runOf(
  event: NamedEvent,
  { projectId, triggeredBy, depth }: EventSource,
  listener: Listener,
  payload: StoredPayload,
): ArrivingRun {
  return {
    id: newId(),
    projectId,
    flowId: listener.flow_id,
    flowVersionId: listener.flow_version_id,
    environment: 'PRODUCTION',
    triggeredBy,
    triggerType: 'APP_WEBHOOK',
    idempotencyKey: triggerRunKey(`event:${event.name}:${event.id}`),
    payload,
    ...(depth !== undefined && { depth }),
  };
}
