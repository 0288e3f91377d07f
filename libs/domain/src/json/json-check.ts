/** Why bytes are not an accepted JSON text: they are malformed from the byte `at`, or they nest too deep. */
export type JsonProblem = { kind: 'malformed'; at: number } | { kind: 'tooDeep' };
/** There are more values than may be made of a text. */
interface TooManyValues {
  kind: 'tooMany';
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LITERALS = [Buffer.from('true'), Buffer.from('false'), Buffer.from('null')];
const ESCAPED = new Set(Buffer.from('"\\/bfnrt'));
/** The end of a token that is not there. */
const NOWHERE = -1;

/**
 * The problem that keeps UTF-8 bytes from being JSON, or null. The grammar is that of JSON.parse, but no value is made:
 * a text of 24 MB may need 500 MB as values.
 */
export function jsonProblem(bytes: Uint8Array, mostDepth: number): JsonProblem | null;
export function jsonProblem(
  bytes: Uint8Array,
  mostDepth: number,
  mostValues: number,
): JsonProblem | TooManyValues | null;
export function jsonProblem(
  bytes: Uint8Array,
  mostDepth: number,
  mostValues = Infinity,
): JsonProblem | TooManyValues | null {
  return new JsonCheck(bytes, mostDepth, mostValues).problem();
}

class JsonCheck {
  private at = 0;
  private depth = 0;
  /** The closing bracket of each container around the current place, by depth. */
  private readonly closing: Uint8Array;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly mostDepth: number,
    private readonly mostValues: number,
  ) {
    this.closing = new Uint8Array(mostDepth + 1);
  }

  problem(): JsonProblem | TooManyValues | null {
    this.skipSpace();
    let values = 0;
    for (let isValue = true; isValue || this.depth > 0; this.skipSpace()) {
      if (isValue && ++values > this.mostValues) return { kind: 'tooMany' };
      const isFine = isValue ? this.takeValue() : this.takeSeparator();
      if (!isFine) return this.depth > this.mostDepth ? { kind: 'tooDeep' } : { kind: 'malformed', at: this.at };
      isValue = this.expectsValue;
    }
    return this.at === this.bytes.length ? null : { kind: 'malformed', at: this.at };
  }

  private expectsValue = false;

  private takeValue(): boolean {
    const byte = this.bytes[this.at];
    this.expectsValue = false;
    if (byte === OPEN_OBJECT) return this.open(CLOSE_OBJECT);
    if (byte === OPEN_LIST) return this.open(CLOSE_LIST);
    return this.moveTo(byte === QUOTE ? this.endOfString() : (this.endOfLiteral() ?? this.endOfNumber()));
  }

  private open(closing: number): boolean {
    if (++this.depth > this.mostDepth) return false;
    this.closing[this.depth] = closing;
    this.at++;
    this.skipSpace();
    if (this.bytes[this.at] === closing) return this.close();
    this.expectsValue = true;
    return closing === CLOSE_LIST || this.takeName();
  }

  /** Reads what follows a value: a comma, with the name of the next member if any, or a closing bracket. */
  private takeSeparator(): boolean {
    const closing = this.closing[this.depth];
    if (this.bytes[this.at] === closing) return this.close();
    if (this.bytes[this.at] !== COMMA) return false;
    this.at++;
    this.skipSpace();
    this.expectsValue = true;
    return closing === CLOSE_LIST || this.takeName();
  }

  private close(): boolean {
    this.depth--;
    this.at++;
    this.expectsValue = false;
    return true;
  }

  private takeName(): boolean {
    if (this.bytes[this.at] !== QUOTE || !this.moveTo(this.endOfString())) return false;
    this.skipSpace();
    if (this.bytes[this.at] !== COLON) return false;
    this.at++;
    this.skipSpace();
    return true;
  }

  private moveTo(end: number): boolean {
    if (end === NOWHERE) return false;
    this.at = end;
    return true;
  }

  private skipSpace(): void {
    for (; this.at < this.bytes.length; this.at++) {
      const byte = this.bytes[this.at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
    }
  }

  private endOfString(): number {
    const { bytes } = this;
    for (let i = this.at + 1; i < bytes.length; i++) {
      const byte = bytes[i] as number;
      if (byte === QUOTE) return i + 1;
      if (byte < 0x20) return NOWHERE;
      if (byte !== BACKSLASH) continue;
      i++;
      if (bytes[i] === 0x75) {
        if (!isHex(bytes[i + 1]) || !isHex(bytes[i + 2]) || !isHex(bytes[i + 3]) || !isHex(bytes[i + 4]))
          return NOWHERE;
        i += 4;
      } else if (!ESCAPED.has(bytes[i] ?? 0)) return NOWHERE;
    }
    return NOWHERE;
  }

  private endOfLiteral(): number | undefined {
    for (const literal of LITERALS)
      if (literal.every((byte, i) => this.bytes[this.at + i] === byte)) return this.at + literal.length;
    return undefined;
  }

  private endOfNumber(): number {
    const { bytes } = this;
    let i = bytes[this.at] === 0x2d ? this.at + 1 : this.at;
    const whole = i;
    i = this.endOfDigits(i);
    if (i === whole || (bytes[whole] === 0x30 && i > whole + 1)) return NOWHERE;
    if (bytes[i] === 0x2e) {
      const fraction = i + 1;
      i = this.endOfDigits(fraction);
      if (i === fraction) return NOWHERE;
    }
    if (bytes[i] === 0x65 || bytes[i] === 0x45) {
      const exponent = bytes[i + 1] === 0x2b || bytes[i + 1] === 0x2d ? i + 2 : i + 1;
      i = this.endOfDigits(exponent);
      if (i === exponent) return NOWHERE;
    }
    return i;
  }

  private endOfDigits(start: number): number {
    let i = start;
    while (isDigit(this.bytes[i])) i++;
    return i;
  }
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

const isHex = (byte: number | undefined): boolean =>
  byte !== undefined && (isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66));
