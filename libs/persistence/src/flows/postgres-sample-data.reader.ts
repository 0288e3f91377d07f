import { Injectable } from '@nestjs/common';
import {
  EntityNotFoundError,
  isId,
  payloadText,
  SampleDataReader,
  type JsonText,
  type ListedSample,
  type SampleData,
  type SampleDataType,
} from '@millrace/domain';
import { DataSource } from 'typeorm';
import { getInProjects } from '../identity/in-projects';
import { storableText } from '../postgres/stored-json';
import { decodePayload } from '../postgres/stored-payload';
import { payloadWithin, SMALLEST_FIRST, withTexts } from './bounded-samples';
import { FlowEntity } from './flow.entity';

/** Returns a row without a payload when the flow exists and its sample data does not. */
const FIND = `
  select project_id, payload from flow
  left join sample_data on flow_id = flow.id and step_name = $3 and type = $4
  where flow.id = $1 and ($2::uuid[] is null or project_id = any($2))`;

const LIST = `
  select step_name as "stepName", type, updated as "savedAt", ${payloadWithin('$2')}
  from sample_data where flow_id = $1 ${SMALLEST_FIRST}`;

const OUTPUTS_OF = `
  select step_name as "stepName", ${payloadWithin('$3')}
  from sample_data where flow_id = $1 and type = 'OUTPUT' and step_name = any($2) ${SMALLEST_FIRST}`;

type ListedRow = Omit<ListedSample, 'text'> & { payload: Buffer | null };

@Injectable()
export class PostgresSampleDataReader extends SampleDataReader {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async list(
    flowId: string,
    projectIds: readonly string[] | 'any',
    mostCharacters: number,
  ): Promise<{ projectId: string; samples: ListedSample[] }> {
    const { projectId } = await getInProjects(this.dataSource.getRepository(FlowEntity), 'flow', flowId, projectIds);
    const rows: ListedRow[] = await this.dataSource.query(LIST, [flowId, mostCharacters]);
    return { projectId, samples: await withTexts(rows, mostCharacters) };
  }

  async outputsOf(
    flowId: string,
    stepNames: readonly string[],
    mostCharacters: number,
  ): Promise<ReadonlyMap<string, JsonText | null>> {
    if (!isId(flowId) || stepNames.length === 0) return new Map();
    const rows: { stepName: string; payload: Buffer | null }[] = await this.dataSource.query(OUTPUTS_OF, [
      flowId,
      stepNames.map(storableText),
      mostCharacters,
    ]);
    const outputs = await withTexts(rows, mostCharacters);
    return new Map(outputs.map(({ stepName, text }) => [stepName, text]));
  }

  async get(
    flowId: string,
    projectIds: readonly string[] | 'any',
    stepName: string,
    type: SampleDataType,
  ): Promise<SampleData> {
    if (!isId(flowId)) throw new EntityNotFoundError('flow', flowId);
    const visible = projectIds === 'any' ? null : projectIds.filter(isId);
    const rows: { project_id: string; payload: Buffer | null }[] = await this.dataSource.query(FIND, [
      flowId,
      visible,
      storableText(stepName),
      type,
    ]);
    const row = rows[0];
    if (!row) throw new EntityNotFoundError('flow', flowId);
    if (!row.payload) throw new EntityNotFoundError('sample_data', stepName);
    return { projectId: row.project_id, payload: JSON.parse(payloadText(await decodePayload(row.payload))) as unknown };
  }
}
