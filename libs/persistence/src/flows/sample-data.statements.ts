import type { SampleDataChange, SampleDataMarks, SampleDataType } from '@millrace/domain';
import type { EntityManager } from 'typeorm';
import { encodeJson, storableText } from '../postgres/stored-json';

const SAVE = `
  insert into sample_data (flow_id, step_name, type, payload, updated) values ($1, $2, $3, $4, $5)
  on conflict (flow_id, step_name, type) do update set payload = excluded.payload, updated = excluded.updated`;

/** Writes sample data in the transaction that changes the flow and has locked its row. */
export async function writeSampleData(
  tx: EntityManager,
  flowId: string,
  change: SampleDataChange,
  updated: Date,
): Promise<void> {
  switch (change.kind) {
    case 'save': {
      const payload = await encodeJson(JSON.stringify(change.payload ?? null));
      await tx.query(SAVE, [flowId, storableText(change.stepName), change.type, payload, updated]);
      return;
    }
    case 'forget': {
      const stepNames = change.stepNames.map(storableText);
      await tx.query('delete from sample_data where flow_id = $1 and step_name = any($2)', [flowId, stepNames]);
      return;
    }
    case 'clear':
      await tx.query('delete from sample_data where flow_id = $1', [flowId]);
  }
}

const MARKS = { INPUT: 'inputSavedAt', OUTPUT: 'outputSavedAt' } as const satisfies Record<
  SampleDataType,
  keyof SampleDataMarks
>;

/** When the sample data of each step was saved. Tests and webhooks save some without a change of the version. */
export async function sampleDataMarks(
  tx: Pick<EntityManager, 'query'>,
  flowId: string,
): Promise<ReadonlyMap<string, SampleDataMarks>> {
  const find = 'select step_name as name, type, updated from sample_data where flow_id = $1';
  const rows: { name: string; type: SampleDataType; updated: Date }[] = await tx.query(find, [flowId]);
  const marks = new Map<string, SampleDataMarks>();
  for (const { name, type, updated } of rows)
    marks.set(name, { ...marks.get(name), [MARKS[type]]: updated.toISOString() });
  return marks;
}
