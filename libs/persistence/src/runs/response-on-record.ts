import { RecordedRun, type RunResponse } from '@millrace/domain';
import type { Queryable } from '../postgres/in-transaction';
import { decodeSegment, readRecords, whyUnreadable } from './segment-records';

/** A run's journal may be far larger than what one process should hold. */
const BYTES_AT_ONCE = 1024 * 1024;
const SEGMENTS_AT_ONCE = 32;

// The first of them always, then as many as stay within the bound. The length of what is stored outside its row is known
// without reading it.
const NEWEST_SEGMENTS = `
  select seq, records from (
    select seq, records, sum(octet_length(records)) over (order by seq desc) as bytes, row_number() over (order by seq desc)
    from (select seq, records from run_segment where run_id = $1 and seq < $2
          order by seq desc limit ${SEGMENTS_AT_ONCE}) newest
  ) measured where bytes <= ${BYTES_AT_ONCE} or row_number = 1 order by seq desc`;

const AFTER_ALL = 2_147_483_647;

/** What the run answers so far, from its journal: the newest segments first, a few at a time. */
export async function findResponse(db: Queryable, runId: string): Promise<RunResponse | null> {
  for (let before = AFTER_ALL; ;) {
    const query = { name: 'newest-segments', text: NEWEST_SEGMENTS, values: [runId, before] };
    const segments = (await db.query<{ seq: number; records: Buffer }>(query)).rows;
    for (const { records } of segments) {
      const response = await responseIn(records, runId);
      if (response) return response;
    }
    const oldest = segments.at(-1);
    if (!oldest || oldest.seq === 0) return null;
    before = oldest.seq;
  }
}

/** Most segments have none, which their text tells without being parsed. */
async function responseIn(segment: Buffer, runId: string): Promise<RunResponse | null> {
  try {
    return (await decodeSegment(segment)).includes('"response"')
      ? new RecordedRun(await readRecords([segment])).response
      : null;
  } catch (error) {
    if (whyUnreadable(error, `The response of run ${runId}`) === 'newer') throw error;
    return null; // its run has ended for that, and whoever waits for it is told so
  }
}
