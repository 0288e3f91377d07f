import { Busboy } from '@fastify/busboy';
import { InvalidRequestError, type JsonText } from '@millrace/domain';

// Reads a body of type multipart/form-data, which is wholly in memory.
//
// M1. The parts are counted before the body is parsed, because each part costs the parser far more than its bytes.
// M2. Nothing is left out in silence: a part that the parser skips makes the whole body refused.
// M3. Whoever sends the body chooses every name in it, so names are data: no path, and no member of JavaScript.

/** The most parts, fields and files together. */
export const MOST_PARTS = 1_000;
/** A file costs several statements, and a field none. */
export const MOST_FILES = 50;
const MOST_HEADER_BYTES = 8 * 1024;
const MOST_HEADERS = 32;
const LONGEST_BOUNDARY = 70;

export interface PartFile {
  /** The name without a path; empty when the sender gave none. */
  name: string;
  contentType: string;
  content: Uint8Array;
}

export interface MultipartBody {
  /** The values of each member in their order: the text of a field as JSON, or the place of a file in `files`. */
  members: Map<string, (JsonText | number)[]>;
  files: PartFile[];
}

/** Rejects with InvalidRequestError when the body is malformed or has too many parts. */
export async function multipartBody(rawBody: Buffer, contentType: string): Promise<MultipartBody> {
  const boundary = boundaryIn(contentType);
  const parts = partsIn(rawBody, boundary);
  if (parts > MOST_PARTS) throw refused(`A multipart body has at most ${MOST_PARTS} parts.`);
  const body: MultipartBody = { members: new Map(), files: [] };
  const found = await parse(rawBody, boundary, body);
  if (found < parts) throw refused('has a part that is no field of a form with a name.');
  return body;
}

/** Finds the boundary, and first the quoted text of other parameters, which may look like a boundary. */
const BOUNDARY_OR_QUOTED = /;\s*boundary\s*=\s*(?:"([^"\\]*)"|([^\s;"\\]+))|"(?:[^"\\]|\\.)*(?:"|\\?$)/gi;
/** Printable ASCII that can be quoted as it is. */
const READABLE_BOUNDARY = /^[ !#-[\]-~]+$/;

function boundaryIn(contentType: string): string {
  const named = [...contentType.matchAll(BOUNDARY_OR_QUOTED)].map(([, quoted, plain]) => quoted ?? plain);
  const boundary = named.find((each) => each !== undefined) ?? '';
  if (!READABLE_BOUNDARY.test(boundary) || boundary.length > LONGEST_BOUNDARY)
    throw refused(`is multipart, and its type names no boundary of 1 to ${LONGEST_BOUNDARY} characters of ASCII.`);
  return boundary;
}

/** The number of parts: each begins with a delimiter, and one more delimiter ends the last part. */
function partsIn(rawBody: Buffer, boundary: string): number {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  let delimiters = rawBody.indexOf(delimiter.subarray(2)) === 0 ? 1 : 0;
  for (let at = rawBody.indexOf(delimiter); at >= 0; at = rawBody.indexOf(delimiter, at + delimiter.length))
    if (++delimiters > MOST_PARTS + 1) break;
  return delimiters - 1;
}

/** Puts the parts into `body`, and resolves with their number. */
function parse(rawBody: Buffer, boundary: string, body: MultipartBody): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (message: string): void => reject(refused(message));
    const parser = new Busboy({
      // Not as it came: the parser must read the boundary by which the parts were counted (M1).
      headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
      limits: {
        files: MOST_FILES,
        fieldSize: rawBody.length,
        headerSize: MOST_HEADER_BYTES,
        headerPairs: MOST_HEADERS,
      },
      isPartAFile: (_, type, name) => name !== undefined || !isText(type),
    });
    let found = 0;
    parser.on('field', (name: string | undefined, value) => {
      if (name === undefined) return;
      found++;
      addTo(body, name, JSON.stringify(value));
    });
    parser.on('file', (field: string | undefined, content, name, _, type) => {
      content.on('error', () => fail(BROKEN)); // also for a part without a name, or the error ends the thread
      if (field === undefined) return void content.resume();
      found++;
      const chunks: Buffer[] = [];
      content.on('data', (chunk: Buffer) => chunks.push(chunk));
      content.on('end', () => keepFile(body, field, { name: name ?? '', contentType: type, content: joined(chunks) }));
    });
    parser.on('filesLimit', () => fail(`A multipart body has at most ${MOST_FILES} files.`));
    parser.on('error', () => fail(BROKEN));
    parser.on('finish', () => resolve(found));
    parser.end(rawBody);
    afterTurns(MOST_TURNS, () => fail(BROKEN));
  });
}

/** The parser waits for no input, so it is done after a few turns of the event loop; some broken bodies hang it. */
const MOST_TURNS = 20;

function afterTurns(turns: number, then: () => void): void {
  setImmediate(() => (turns === 0 ? then() : afterTurns(turns - 1, then)));
}

const BROKEN = 'is not a valid multipart body: it is malformed, or it ends too early.';

/** A part without a file name is a field when its type is text. Programs send files without a name, too. */
const isText = (type: string | undefined): boolean =>
  type === undefined || /^text\/|^application\/(?:.*\+)?(?:json|xml)$|urlencoded$/.test(type);

const joined = (chunks: Buffer[]): Buffer => (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));

/** A browser sends an empty file without a name when its user has chosen none. */
function keepFile(body: MultipartBody, field: string, file: PartFile): void {
  if (file.name === '' && file.content.length === 0) return addTo(body, field, '""');
  addTo(body, field, body.files.push(file) - 1);
}

function addTo({ members }: MultipartBody, name: string, value: JsonText | number): void {
  const known = members.get(name);
  if (known) known.push(value);
  else members.set(name, [value]);
}

/** The trigger's body as JSON. A member that occurs several times becomes a list. */
export function textOfMultipart({ members }: MultipartBody, urlOf: (file: number) => string): JsonText {
  const text = (value: JsonText | number): JsonText =>
    typeof value === 'number' ? JSON.stringify(urlOf(value)) : value;
  const pairs = [...members].map(([name, values]) => {
    const texts = values.map(text);
    return `${JSON.stringify(name)}:${texts.length === 1 ? texts[0] : `[${texts.join(',')}]`}`;
  });
  return `{${pairs.join(',')}}`;
}

const refused = (message: string): InvalidRequestError => new InvalidRequestError([{ path: '', message }]);
