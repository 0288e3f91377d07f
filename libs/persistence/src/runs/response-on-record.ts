import { RecordedRun, type RunResponse } from '@millrace/domain';
import type { Queryable } from '../postgres/in-transaction';
import { decodeSegment, readRecords, whyUnreadable } from './segment-records';

/** How much of a journal is read at once. A journal may be far larger than one process should hold. */
const BYTES_AT_ONCE = 1024 * 1024;
const SEGMENTS_AT_ONCE = 32;

// Returns the next segment in any case, and those after it that stay within the bound. PostgreSQL knows the length of a
// large segment without reading it.
const NEXT_SEGMENTS = `
  select seq, records, found from (
    select seq, records, count(*) over ()::int as found, sum(octet_length(records)) over (order by seq) as bytes,
      row_number() over (order by seq)
    from (select seq, records from run_segment where run_id = $1 and seq > $2
          order by seq limit ${SEGMENTS_AT_ONCE}) next
  ) measured where bytes <= ${BYTES_AT_ONCE} or row_number = 1 order by seq`;

const BEFORE_ALL = -1;

/**
 * Returns the first response in the run's journal, or null when there is none. It reads the segments in order, a few at
 * a time. Throws NewerFormatError when a later version of the service wrote a segment.
 */
export async function findResponse(db: Queryable, runId: string): Promise<RunResponse | null> {
  for (let after = BEFORE_ALL; ;) {
    const query = { name: 'next-segments', text: NEXT_SEGMENTS, values: [runId, after] };
    const segments = (await db.query<{ seq: number; records: Buffer; found: number }>(query)).rows;
    for (const { records } of segments) {
      const response = await responseIn(records, runId);
      if (response) return response;
    }
    const last = segments.at(-1);
    if (!last || (last.found === segments.length && last.found < SEGMENTS_AT_ONCE)) return null;
    after = last.seq;
  }
}

/** Most segments hold no response. Their text shows that without being parsed. */
async function responseIn(segment: Buffer, runId: string): Promise<RunResponse | null> {
  try {
    return (await decodeSegment(segment)).includes('"response"')
      ? new RecordedRun(await readRecords([segment])).response
      : null;
  } catch (error) {
    if (whyUnreadable(error, `The response of run ${runId}`) === 'newer') throw error;
    return null; // the run ended as INTERNAL_ERROR because of the damage, and its caller gets that status
  }
}
