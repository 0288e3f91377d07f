import type { FileContent } from '@millrace/domain';

/** Yields the content in pieces of `bytes`. The last piece may be shorter and is never empty. */
export async function* piecesOf(content: FileContent, bytes: number): AsyncGenerator<Buffer> {
  let gathered: Uint8Array[] = [];
  let length = 0;
  for await (const part of content) {
    let rest = part;
    while (length + rest.length >= bytes) {
      const missing = bytes - length;
      yield Buffer.concat([...gathered, rest.subarray(0, missing)], bytes);
      rest = rest.subarray(missing);
      gathered = [];
      length = 0;
    }
    if (rest.length > 0) gathered.push(rest);
    length += rest.length;
  }
  if (length > 0) yield Buffer.concat(gathered, length);
}

/** Yields the content. Throws at its end, or when it exceeds `bytes`, if it does not have exactly `bytes` bytes. */
export async function* ofLength(content: FileContent, bytes: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const part of content) {
    length += part.length;
    if (length > bytes) break;
    yield part;
  }
  if (length !== bytes)
    throw new Error(`The file was announced with ${bytes} bytes, but has ${length > bytes ? 'more' : length}.`);
}
