import { Logger } from '@nestjs/common';
import {
  hasReferences,
  type JsonText,
  type RecordedStep,
  type StepPath,
  type StepRecord,
  type UnreadableReason,
} from '@millrace/domain';
import { decodeJson, decodeJsonBytes, encodeJson, NewerFormatError } from '../postgres/stored-json';

/** The first byte of a segment. Segments from before there were versions begin with the mark of stored JSON: 0 or 1. */
const SEGMENT_VERSION = 2;
/** The version of segments that refer to values of connections. Before them nobody would have put the values back. */
const REFERRING_VERSION = 3;

/** Returns the version and the records, encoded as stored JSON. The result is a promise only from 64 KB on. */
export const encodeSegment = (records: readonly StepRecord[]): Buffer | Promise<Buffer> =>
  encodeVersioned(recordsJson(records), versionFor(records));

/** Encodes records that were read from another run, as `encodeSegment` does. */
export const encodeKept = (records: readonly RecordedStep[]): Buffer | Promise<Buffer> =>
  encodeVersioned(JSON.stringify(records), versionFor(records));

/** Returns the JSON text of a segment. Throws NewerFormatError when a later version of the service wrote it. */
export async function decodeSegment(segment: Buffer): Promise<JsonText> {
  return decodeJson(withoutVersion(segment));
}

/** Returns the bytes of the JSON text of a segment; throws as decodeSegment. */
export async function decodeSegmentBytes(segment: Buffer): Promise<Buffer> {
  return decodeJsonBytes(withoutVersion(segment));
}

const withoutVersion = (segment: Buffer): Buffer =>
  segment[0] === SEGMENT_VERSION || segment[0] === REFERRING_VERSION ? segment.subarray(1) : segment;

/** The bytes that every segment has in which there is a record of this step, or of a step inside it. */
export const markOfStep = (path: StepPath): Buffer => Buffer.from(`"path":${JSON.stringify(path).slice(0, -1)}`);

/** Returns the records of a run's segments in the order of the segments. Rejects when one cannot be read. */
export async function readRecords(segments: readonly Buffer[]): Promise<RecordedStep[]> {
  const texts = await Promise.all(segments.map(decodeSegment));
  return texts.flatMap(recordsIn);
}

const logger = new Logger('UnreadableRecords');

/** The message of a JSON parser may quote the text, and step data must not appear in the log. */
function warnOf(what: string, error: unknown): void {
  logger.warn(`${what} cannot be read: ${error instanceof SyntaxError ? 'it is not valid JSON.' : String(error)}`);
}

/** Resolves to null, and logs a warning about `what`, when the stored bytes cannot be read. */
export function whenReadable<Read>(reading: Promise<Read>, what: string): Promise<Read | null> {
  return reading.catch((error: unknown) => {
    warnOf(what, error);
    return null;
  });
}

/**
 * Returns why stored bytes are unreadable. Any error but NewerFormatError means that they are broken, and is logged.
 */
export function whyUnreadable(error: unknown, what: string): UnreadableReason {
  if (error instanceof NewerFormatError) return 'newer';
  warnOf(what, error);
  return 'broken';
}

function encodeVersioned(text: JsonText, version: number): Buffer | Promise<Buffer> {
  const encoded = encodeJson(text);
  const versioned = (bytes: Buffer): Buffer => Buffer.concat([Buffer.of(version), bytes]);
  return Buffer.isBuffer(encoded) ? versioned(encoded) : encoded.then(versioned);
}

const versionFor = (records: readonly (StepRecord | RecordedStep)[]): number =>
  records.some(hasReferences) ? REFERRING_VERSION : SEGMENT_VERSION;

/**
 * Returns the records of a segment as a JSON array. Input and output are JSON texts already and are inserted unchanged.
 */
const recordsJson = (records: readonly StepRecord[]): JsonText => `[${records.map(recordJson).join(',')}]`;

function recordJson({ input, output, ...rest }: StepRecord): JsonText {
  const open = JSON.stringify(rest).slice(0, -1);
  const inputMember = input === undefined ? '' : `,"input":${input}`;
  const outputMember = output === undefined ? '' : `,"output":${output}`;
  return `${open}${inputMember}${outputMember}}`;
}

/** Returns the records in the JSON text of a segment. */
export function recordsIn(text: JsonText): RecordedStep[] {
  const records = JSON.parse(text) as RecordedStep[] | null;
  // JSON of another shape would fail later, in a place that does not know the run.
  if (Array.isArray(records) && records.every((record) => typeof record?.path === 'string')) return records;
  throw new Error('A segment holds no records.');
}
