import { payloadText, type JsonText } from '@millrace/domain';
import { decodePayload } from '../postgres/stored-payload';

// Reads sample data of many steps without more than a bound in memory. Payloads are stored compressed, so the query
// bounds what is read, and decoding bounds what it becomes.

/** The column `payload` of sample data, smallest first, as long as the bytes together are no more than the parameter. */
export const payloadWithin = (parameter: string): string => `
  case when sum(octet_length(payload)) over (order by octet_length(payload), step_name, type) <= ${parameter}
  then payload end as payload`;

export const SMALLEST_FIRST = 'order by octet_length(payload), step_name, type';

interface SampleRow {
  payload: Buffer | null;
}

/** Adds the text of each payload; null where it would be more than so many characters with those before it. */
export async function withTexts<Row extends SampleRow>(
  rows: readonly Row[],
  mostCharacters: number,
): Promise<(Omit<Row, 'payload'> & { text: JsonText | null })[]> {
  let left = mostCharacters;
  const read: (Omit<Row, 'payload'> & { text: JsonText | null })[] = [];
  // One after the other, so that no more than one is decoded beyond the bound.
  for (const { payload, ...row } of rows) {
    const text = payload && left > 0 ? payloadText(await decodePayload(payload)) : null;
    left -= text?.length ?? 0;
    read.push({ ...row, text: left >= 0 ? text : null });
  }
  return read;
}
