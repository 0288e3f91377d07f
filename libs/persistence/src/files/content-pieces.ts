import type { FileContent } from '@millrace/domain';

/** The same content in pieces of exactly `bytes`, but for the last one, which is never empty. */
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

/** The same content; throws when it is not as long as was said. */
export async function* ofLength(content: FileContent, bytes: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const part of content) {
    length += part.length;
    if (length > bytes) break;
    yield part;
  }
  if (length !== bytes)
    throw new Error(`The file was said to have ${bytes} bytes and has ${length > bytes ? 'more' : length}.`);
}
