/** Nothing that a piece sends or gets at once is longer. A longer announcement is refused before its bytes are read. */
export const MOST_FRAME_BYTES = 16 * 1024 * 1024;
/**
 * How many values a package may send as one JSON text. Reading JSON blocks the worker: this many empty objects for a tenth
 * of a second.
 */
export const MOST_VALUES_AT_ONCE = 300_000;
/** How deep values are in each other at most. Whoever writes deep values as JSON needs a stack as deep. */
const MOST_LEVELS = 1_000;
const LENGTH_BYTES = 4;
/** A message costs its reader and its writer as much as so many values do, even if it is empty. */
const WORK_OF_MESSAGE = 16;
/** So many bits of the number of its bytes say what its texts cost: 32 bytes cost as much as a value. */
const BITS_OF_BYTES = 5;
/** What a message costs at most. */
export const MOST_WORK_OF_MESSAGE = MOST_VALUES_AT_ONCE + (MOST_FRAME_BYTES >>> BITS_OF_BYTES) + WORK_OF_MESSAGE;

const TOO_LONG = `A message is longer than ${MOST_FRAME_BYTES / 1024 / 1024} MB.`;

/** Thrown for a frame that is too long, too costly to read, or not JSON. */
export class BrokenFrameError extends Error {}

/** Writes a message as JSON behind its length. Throws BrokenFrameError when the other side would refuse it. */
export const frameOf = (message: unknown): Buffer => weighedFrameOf(message).frame;

/** A message as `frameOf` writes it, and what that costs in values. */
export function weighedFrameOf(message: unknown): { frame: Buffer; work: number } {
  const body = Buffer.from(written(message));
  if (body.length > MOST_FRAME_BYTES) throw new BrokenFrameError(TOO_LONG);
  const work = workOf(body);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + body.length);
  frame.writeUInt32BE(body.length);
  body.copy(frame, LENGTH_BYTES);
  return { frame, work };
}

/** JSON.stringify throws RangeError for a text over half a gigabyte, and where it has no stack for deep values. */
function written(message: unknown): string {
  try {
    return JSON.stringify(message);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new BrokenFrameError('A message is much longer or deeper than it may be.', { cause: error });
  }
}

/**
 * Collects frames from the pieces of a stream, and tells how many bytes each has and what reading it costs. Each is JSON,
 * so that reading a hostile one runs nothing.
 */
export class FrameReader {
  /** Begins with the bytes that were not given yet. It grows with them: one by one they would take hundreds of bytes each. */
  private kept = Buffer.alloc(0);
  private size = 0;
  private awaited = LENGTH_BYTES;
  private readsLength = true;

  constructor(private readonly take: (message: unknown, bytes: number, work: number) => void) {}

  /** Gives the messages that this piece completes. Throws BrokenFrameError. */
  push(piece: Buffer): void {
    const bytes = this.size > 0 ? this.keep(piece) : piece;
    let left = bytes;
    while (left.length >= this.awaited) {
      const { awaited } = this;
      this.next(left.subarray(0, awaited));
      left = left.subarray(awaited);
    }
    if (left !== bytes || this.size === 0) {
      this.kept = Buffer.from(left);
      this.size = left.length;
    }
  }

  /** Adds a piece to what is kept, and returns all of it. */
  private keep(piece: Buffer): Buffer {
    const size = this.size + piece.length;
    if (size > this.kept.length) {
      const grown = Buffer.allocUnsafe(Math.max(size, Math.min(2 * this.kept.length, this.awaited)));
      this.kept.copy(grown, 0, 0, this.size);
      this.kept = grown;
    }
    piece.copy(this.kept, this.size);
    this.size = size;
    return this.kept.subarray(0, size);
  }

  private next(bytes: Buffer): void {
    if (this.readsLength) {
      this.awaited = bytes.readUInt32BE();
      if (this.awaited > MOST_FRAME_BYTES) throw new BrokenFrameError(TOO_LONG);
    } else {
      this.awaited = LENGTH_BYTES;
      const work = workOf(bytes);
      this.take(parse(bytes), bytes.length, work);
    }
    this.readsLength = !this.readsLength;
  }
}

const [COMMA, QUOTE, BACKSLASH] = [0x2c, 0x22, 0x5c];
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * What a message costs, in values. Every value but the first follows a comma, or what begins a list or an object. Throws
 * BrokenFrameError for a message that costs too much.
 */
function workOf(json: Buffer): number {
  let [values, levels] = [0, 0];
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfText(json, at);
    else if (byte === ARRAY_END || byte === OBJECT_END) levels--;
    else if (byte === COMMA) values++;
    else if (byte === ARRAY || byte === OBJECT) {
      values++;
      if (++levels > MOST_LEVELS) throw new BrokenFrameError(`A message is deeper than ${MOST_LEVELS} levels.`);
    }
    if (values > MOST_VALUES_AT_ONCE)
      throw new BrokenFrameError(`A message has more than ${MOST_VALUES_AT_ONCE.toLocaleString('en')} values.`);
  }
  return values + (json.length >>> BITS_OF_BYTES) + WORK_OF_MESSAGE;
}

/** Where the text ends that begins here, or the message, when it does not end. */
function endOfText(json: Buffer, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); end >= 0; end = json.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (json[end - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return json.length;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch (cause) {
    throw new BrokenFrameError('A message is not JSON.', { cause });
  }
}
