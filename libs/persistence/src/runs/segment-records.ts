import type { JsonText, RecordedStep, StepRecord } from '@millrace/domain';
import { decodeJson } from '../postgres/stored-json';

/** A segment's records as one JSON array. Input and output are JSON text already and go in as they are. */
export const recordsJson = (records: readonly StepRecord[]): JsonText => `[${records.map(recordJson).join(',')}]`;

function recordJson({ input, output, ...rest }: StepRecord): JsonText {
  const open = JSON.stringify(rest).slice(0, -1);
  const inputMember = input === undefined ? '' : `,"input":${input}`;
  const outputMember = output === undefined ? '' : `,"output":${output}`;
  return `${open}${inputMember}${outputMember}}`;
}

/** The records of a run's segments, in the order they were written. */
export async function readRecords(segments: readonly Buffer[]): Promise<RecordedStep[]> {
  const texts = await Promise.all(segments.map(decodeJson));
  return texts.flatMap((text) => JSON.parse(text) as RecordedStep[]);
}
