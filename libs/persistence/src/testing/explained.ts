import type { DataSource } from 'typeorm';
import type { Statement } from '../lists/list-statement';

/** What a statement costs, in figures that are the same on a busy machine. */
export interface StatementCost {
  plan: string;
  /** The pages of 8 kB that it reads, from memory or from disk. */
  pages: number;
  /** The rows that its parts pass on or throw away, together. */
  rows: number;
}

/** Executes the statement and tells what it cost. Throws when there is none, because nothing can be found. */
export async function explained(dataSource: DataSource, statement: Statement | null): Promise<StatementCost> {
  if (!statement) throw new Error('A filter that finds nothing has no statement.');
  const { text, values } = statement;
  const lines: Record<string, string>[] = await dataSource.query(
    `explain (analyze, buffers, timing off) ${text}`,
    values,
  );
  const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
  const [, hit = 0, read = 0] = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(plan) ?? [];
  return { plan, pages: Number(hit) + Number(read), rows: rowsOf(plan) };
}

function rowsOf(plan: string): number {
  let rows = 0;
  let loops = 1;
  for (const line of plan.split('\n')) {
    const actual = /actual rows=([\d.]+) loops=(\d+)/.exec(line);
    const removed = /Rows Removed by .*: (\d+)/.exec(line);
    if (actual) rows += Number(actual[1]) * (loops = Number(actual[2]));
    if (removed) rows += Number(removed[1]) * loops;
  }
  return rows;
}
