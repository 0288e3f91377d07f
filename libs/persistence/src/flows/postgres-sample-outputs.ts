import { Injectable } from '@nestjs/common';
import { isId, payloadText, SampleOutputs, type JsonText } from '@millrace/domain';
import { Pool } from 'pg';
import { decodePayload } from '../postgres/stored-payload';

const LOAD = `select step_name, payload from sample_data where flow_id = $1 and type = 'OUTPUT'`;

@Injectable()
export class PostgresSampleOutputs extends SampleOutputs {
  constructor(private readonly pool: Pool) {
    super();
  }

  async load(flowId: string): Promise<ReadonlyMap<string, JsonText>> {
    if (!isId(flowId)) return new Map();
    const query = { name: 'load-sample-outputs', text: LOAD, values: [flowId] };
    const { rows } = await this.pool.query<{ step_name: string; payload: Buffer }>(query);
    return new Map(
      await Promise.all(
        rows.map(async ({ step_name, payload }): Promise<[string, JsonText]> => [
          step_name,
          payloadText(await decodePayload(payload)),
        ]),
      ),
    );
  }
}
