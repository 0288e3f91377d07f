/**
 * Many byte strings in one parameter. The driver would send an array of Buffers as hexadecimal text, but sends one
 * Buffer as raw bytes. SQL cuts it up again: `substr($bytes, start, length)`.
 */
export interface PackedBytes {
  bytes: Buffer;
  /** The position of each byte string, counted from 1 as in SQL. */
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

/**
 * Returns an array literal of values that need no quoting (ids, numbers, times). The driver's own literal is slower.
 */
export const plainArray = (values: readonly (string | number)[]): string => `{${values.join(',')}}`;
