import { storableJson, type References, type StoredText } from '@millrace/domain';
import { compressed, decodeJson, decompressed, encodeJson, type Marks } from './stored-json';

// JSON on disk that may refer to values of connections. Without references it is stored JSON. With references it has
// marks of its own, and its content is one line of JSON with the references, and the text.

const REFERRING_MARKS: Marks = { plain: 4, deflated: 5 };
const LINE_FEED = '\n';

/** Returns the bytes to store. The result is a promise only from 64 KB on. */
export function encodeText(stored: StoredText): Buffer | Promise<Buffer> {
  if (typeof stored === 'string') return encodeJson(stored);
  const content = `${storableJson(JSON.stringify(stored.references))}${LINE_FEED}${stored.text}`;
  const bytes = Buffer.allocUnsafe(1 + Buffer.byteLength(content));
  bytes.write(content, 1);
  return compressed(bytes, REFERRING_MARKS);
}

export function decodeText(bytes: Buffer): StoredText | Promise<StoredText> {
  if (bytes[0] !== REFERRING_MARKS.plain && bytes[0] !== REFERRING_MARKS.deflated) return decodeJson(bytes);
  const content = decompressed(bytes, REFERRING_MARKS);
  return Buffer.isBuffer(content) ? textIn(content) : content.then(textIn);
}

function textIn(content: Buffer): StoredText {
  const text = content.toString();
  const end = text.indexOf(LINE_FEED);
  if (end < 0) throw new Error('A stored text begins with no line of references.');
  return { text: text.slice(end + 1), references: JSON.parse(text.slice(0, end)) as References };
}
