import { isId, payloadText, TriggerEvents, type Page, type PageRequest, type TriggerEvent } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { inSlice, inSliceOrder, StatementValues } from '../lists/list-statement';
import { readPage } from '../lists/page-cursor';
import { decodePayload } from '../postgres/stored-payload';

interface EventRow {
  id: string;
  flow_id: string;
  payload: Buffer;
  created: Date;
}

@Injectable()
export class PostgresTriggerEvents extends TriggerEvents {
  constructor(private readonly pool: Pool) {
    super();
  }

  async list(flowId: string, page: PageRequest): Promise<Page<TriggerEvent>> {
    const read = await readPage(page, ['trigger events', flowId], async (slice) => {
      if (!isId(flowId)) return [];
      const values = new StatementValues();
      const text = `
        select * from trigger_event
        where flow_id = ${values.id(flowId)} and ${inSlice('id', slice, values)} ${inSliceOrder('id', slice)}`;
      return (await this.pool.query<EventRow>(text, values.all)).rows;
    });
    return { ...read, data: await Promise.all(read.data.map(toEvent)) };
  }
}

const toEvent = async ({ id, flow_id, payload, created }: EventRow): Promise<TriggerEvent> => ({
  id,
  flowId: flow_id,
  payload: JSON.parse(payloadText(await decodePayload(payload))) as unknown,
  created,
});
