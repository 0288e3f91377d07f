import type { RecordChoice, RecordedStep, StepPath } from '@millrace/domain';
import type { Queryable } from '../postgres/in-transaction';
import { segmentsInParts } from './run-load.statements';
import { decodeSegmentBytes, markOfStep, recordsIn, whenReadable } from './segment-records';

// Reads the records of one run one segment after the other, so that those of a large run are never all in memory with
// their data. An error of the database is thrown; null stands for records that cannot be read.

/** Returns what `choose` keeps of the records. Segments without the step at `path` are not parsed. */
export async function chosenRecords(
  db: Queryable,
  runId: string,
  choose: RecordChoice,
  path?: StepPath,
): Promise<RecordedStep[] | null> {
  const mark = path === undefined ? null : markOfStep(path);
  const chosen: RecordedStep[] = [];
  for await (const some of segmentsInParts(db, [runId]))
    for (const { records } of some) {
      const read = await whenReadable(markedRecords(records, mark), `The journal of run ${runId}`);
      if (!read) return null;
      for (const record of read) {
        const kept = choose(record);
        if (kept) chosen.push(kept);
      }
    }
  return chosen;
}

async function markedRecords(segment: Buffer, mark: Buffer | null): Promise<RecordedStep[]> {
  const content = await decodeSegmentBytes(segment);
  return mark && !content.includes(mark) ? [] : recordsIn(content.toString());
}

/** Some records and how large all are, as JSON. */
export interface BoundedRecords {
  bytes: number;
  /** Empty when all together are larger than was asked for. */
  records: readonly RecordedStep[];
}

/** Returns the records unless they are larger than `mostBytes` as JSON. */
export async function recordsUpTo(db: Queryable, runId: string, mostBytes: number): Promise<BoundedRecords | null> {
  let bytes = 0;
  let kept: RecordedStep[] = [];
  for await (const some of segmentsInParts(db, [runId]))
    for (const { records } of some) {
      const isFull = (size: number): boolean => (bytes += size) > mostBytes;
      const read = await whenReadable(recordsUnless(isFull, records), `The journal of run ${runId}`);
      if (!read) return null;
      if (bytes > mostBytes) kept = [];
      else for (const record of read) kept.push(record);
    }
  return { bytes, records: kept };
}

async function recordsUnless(isFull: (size: number) => boolean, segment: Buffer): Promise<RecordedStep[]> {
  const content = await decodeSegmentBytes(segment);
  return isFull(content.length) ? [] : recordsIn(content.toString());
}
