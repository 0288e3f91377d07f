import { Logger } from '@nestjs/common';
import type { JsonText, RecordedStep, StepRecord, UnreadableReason } from '@millrace/domain';
import { decodeJson, encodeJson, NewerFormatError } from '../postgres/stored-json';

/** The first byte of a segment. Those of before there were versions begin with the mark of stored JSON: 0 or 1. */
const SEGMENT_VERSION = 2;

/** Bytes to store: the version, and the records as step data is stored. A promise only when they are large. */
export const encodeSegment = (records: readonly StepRecord[]): Buffer | Promise<Buffer> =>
  encodeVersioned(recordsJson(records));

/** As `encodeSegment`, of records that were read before. */
export const encodeKept = (records: readonly RecordedStep[]): Buffer | Promise<Buffer> =>
  encodeVersioned(JSON.stringify(records));

/** The JSON text of a segment. Throws NewerFormatError for one of a later version. */
export async function decodeSegment(segment: Buffer): Promise<JsonText> {
  return decodeJson(segment[0] === SEGMENT_VERSION ? segment.subarray(1) : segment);
}

/** The records of a run's segments, in the order they were written. */
export async function readRecords(segments: readonly Buffer[]): Promise<RecordedStep[]> {
  const texts = await Promise.all(segments.map(decodeSegment));
  return texts.flatMap(recordsIn);
}

const logger = new Logger('UnreadableRecords');

/** What a parser says of a text may cite it, and step data does not belong into the log. */
function warnOf(what: string, error: unknown): void {
  logger.warn(`${what} cannot be read: ${error instanceof SyntaxError ? 'it is no JSON.' : String(error)}`);
}

/** Null, with a line in the service's log, for stored bytes that cannot be read. */
export function whenReadable<Read>(reading: Promise<Read>, what: string): Promise<Read | null> {
  return reading.catch((error: unknown) => {
    warnOf(what, error);
    return null;
  });
}

/** Whatever else goes wrong while stored bytes are read is a broken record, and a line in the service's log. */
export function whyUnreadable(error: unknown, what: string): UnreadableReason {
  if (error instanceof NewerFormatError) return 'newer';
  warnOf(what, error);
  return 'broken';
}

function encodeVersioned(text: JsonText): Buffer | Promise<Buffer> {
  const encoded = encodeJson(text);
  return Buffer.isBuffer(encoded) ? versioned(encoded) : encoded.then(versioned);
}

const versioned = (encoded: Buffer): Buffer => Buffer.concat([Buffer.of(SEGMENT_VERSION), encoded]);

/** A segment's records as one JSON array. Input and output are JSON text already and go in as they are. */
const recordsJson = (records: readonly StepRecord[]): JsonText => `[${records.map(recordJson).join(',')}]`;

function recordJson({ input, output, ...rest }: StepRecord): JsonText {
  const open = JSON.stringify(rest).slice(0, -1);
  const inputMember = input === undefined ? '' : `,"input":${input}`;
  const outputMember = output === undefined ? '' : `,"output":${output}`;
  return `${open}${inputMember}${outputMember}}`;
}

function recordsIn(text: JsonText): RecordedStep[] {
  const records = JSON.parse(text) as RecordedStep[] | null;
  // JSON of another shape would fail where nobody knows any more whose it is.
  if (Array.isArray(records) && records.every((record) => typeof record?.path === 'string')) return records;
  throw new Error('A segment holds no records.');
}
