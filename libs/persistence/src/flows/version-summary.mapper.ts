import { contentsOf, type FlowTrigger, type FlowVersionSummary, type VersionContents } from '@millrace/domain';
import type { DataSource } from 'typeorm';
import type { FlowVersionEntity } from './flow-version.entity';
import { toPublication } from './flow.mapper';

type SummaryRow = Omit<FlowVersionEntity, 'trigger' | 'notes'>;

const TRIGGERS = 'select id, trigger from flow_version where id = any($1::uuid[])';

/** What lists say about the steps of versions, by id. Of versions that were written before lists said it, it reads the steps. */
export async function contentsOfVersions(
  dataSource: DataSource,
  rows: readonly SummaryRow[],
): Promise<ReadonlyMap<string, VersionContents>> {
  const contents = new Map(rows.map(({ id, contents }) => [id, contents as VersionContents | null]));
  const old = rows.filter((row) => row.contents === null).map(({ id }) => id);
  if (old.length > 0) {
    const found: { id: string; trigger: FlowTrigger }[] = await dataSource.query(TRIGGERS, [old]);
    for (const { id, trigger } of found) contents.set(id, contentsOf(trigger));
  }
  return new Map([...contents].map(([id, known]) => [id, known ?? NOTHING]));
}

/** A version that was deleted while its list was read. */
const NOTHING: VersionContents = { trigger: null, pieceNames: [], stepsCount: 0 };

export function toVersionSummary(row: SummaryRow, contents: ReadonlyMap<string, VersionContents>): FlowVersionSummary {
  const { contents: _contents, publishedAt, publishedBy, publishNote, ...version } = row;
  return {
    ...version,
    contents: contents.get(row.id) ?? NOTHING,
    ...toPublication({ publishedAt, publishedBy, publishNote }),
  };
}
