import { Injectable } from '@nestjs/common';
import { isId, SampleDataWriter, type SampleDataEntry } from '@millrace/domain';
import { Pool } from 'pg';
import { inTransaction, type Queryable } from '../postgres/in-transaction';
import { packBytes, plainArray } from '../postgres/packed-bytes';
import { storableText } from '../postgres/stored-json';
import { encodePayload } from '../postgres/stored-payload';
import { writeTriggerEvents } from './trigger-event.statements';

// The lock on the flow's row keeps the flow from being deleted before its sample data is written.
const SAVE = `
  with kept_flow as (select id from flow where id = $1 for key share)
  insert into sample_data (flow_id, step_name, type, payload, updated)
  select kept_flow.id, step_name, type, substr($6::bytea, payload_start, payload_length), now()
  from kept_flow, unnest($2::text[], $3::text[], $4::int[], $5::int[])
    as entry (step_name, type, payload_start, payload_length)
  on conflict (flow_id, step_name, type) do update set payload = excluded.payload, updated = excluded.updated`;

@Injectable()
export class PostgresSampleDataWriter extends SampleDataWriter {
  constructor(private readonly pool: Pool) {
    super();
  }

  async save(flowId: string, entries: readonly SampleDataEntry[]): Promise<void> {
    if (entries.length === 0 || !isId(flowId)) return;
    const encoded = await Promise.all(
      entries.map(async (entry) => ({ ...entry, bytes: await encodePayload(entry.payload) })),
    );
    const events = encoded.filter(({ isEvent }) => isEvent).map(({ bytes }) => bytes);
    if (events.length === 0) return this.replace(this.pool, flowId, encoded);
    await inTransaction(this.pool, async (tx) => {
      await this.replace(tx, flowId, encoded);
      await writeTriggerEvents(tx, flowId, events);
    });
  }

  private async replace(db: Queryable, flowId: string, entries: readonly EncodedEntry[]): Promise<void> {
    const lasts = lastPerStep(entries);
    const payloads = packBytes(lasts.map(({ bytes }) => bytes));
    await db.query({
      name: 'save-sample-data',
      text: SAVE,
      values: [
        flowId,
        lasts.map(({ stepName }) => stepName),
        lasts.map(({ type }) => type),
        plainArray(payloads.starts),
        plainArray(payloads.lengths),
        payloads.bytes,
      ],
    });
  }
}

type EncodedEntry = SampleDataEntry & { bytes: Buffer };

/** Returns the last entry for each step, sorted, so that two tests of a flow never wait for each other's rows. */
function lastPerStep(entries: readonly EncodedEntry[]): EncodedEntry[] {
  const lasts = new Map<string, EncodedEntry>();
  for (const { stepName, ...entry } of entries) {
    const stored = { ...entry, stepName: storableText(stepName) };
    lasts.set(`${stored.stepName} ${stored.type}`, stored);
  }
  return [...lasts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}
