/**
 * Many byte strings as one parameter. An array of Buffers would travel as hexadecimal text; one Buffer travels as it is,
 * and SQL cuts it up again: `substr($bytes, start, length)`.
 */
export interface PackedBytes {
  bytes: Buffer;
  /** Counted from 1, as SQL does. */
  starts: number[];
  lengths: number[];
}

export function packBytes(parts: readonly Buffer[]): PackedBytes {
  const starts: number[] = [];
  const lengths: number[] = [];
  let start = 1;
  for (const part of parts) {
    starts.push(start);
    lengths.push(part.length);
    start += part.length;
  }
  return { bytes: parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts), starts, lengths };
}

/** An array literal of values that need no quoting (ids, numbers, times); much cheaper than the driver's own. */
export const plainArray = (values: readonly (string | number)[]): string => `{${values.join(',')}}`;
