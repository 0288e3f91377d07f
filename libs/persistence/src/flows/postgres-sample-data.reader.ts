import { Injectable } from '@nestjs/common';
import { EntityNotFoundError, isId, payloadText, SampleDataReader, type SampleDataType } from '@millrace/domain';
import { DataSource } from 'typeorm';
import { storableText } from '../postgres/stored-json';
import { decodePayload } from '../postgres/stored-payload';

/** Returns a row without a payload when the flow exists and its sample data does not. */
const FIND = `
  select payload from flow
  left join sample_data on flow_id = flow.id and step_name = $3 and type = $4
  where flow.id = $1 and ($2::uuid[] is null or project_id = any($2))`;

@Injectable()
export class PostgresSampleDataReader extends SampleDataReader {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async get(
    flowId: string,
    projectIds: readonly string[] | 'any',
    stepName: string,
    type: SampleDataType,
  ): Promise<unknown> {
    if (!isId(flowId)) throw new EntityNotFoundError('flow', flowId);
    const visible = projectIds === 'any' ? null : projectIds.filter(isId);
    const rows: { payload: Buffer | null }[] = await this.dataSource.query(FIND, [
      flowId,
      visible,
      storableText(stepName),
      type,
    ]);
    const row = rows[0];
    if (!row) throw new EntityNotFoundError('flow', flowId);
    if (!row.payload) throw new EntityNotFoundError('sample_data', stepName);
    return JSON.parse(payloadText(await decodePayload(row.payload))) as unknown;
  }
}
