import { createDeflateRaw, deflateRawSync } from 'node:zlib';
import {
  isWebhook,
  type RunPayload,
  type StoredPayload,
  type WebhookBodyKind,
  type WebhookPayload,
} from '@millrace/domain';
import { compressed, decompressed, marked, type Marks } from './stored-json';
import { decodeText, encodeText } from './stored-text';

// A payload on disk is a stored text, like all step data, or a webhook with marks of its own. The content of a webhook is
// one letter for the kind of its body, its request as one line of JSON, and the body's bytes as they were received.

const WEBHOOK_MARKS: Marks = { plain: 2, deflated: 3 };
const KINDS: readonly WebhookBodyKind[] = ['none', 'json', 'form', 'text', 'xml', 'files'];
const LETTERS = 'njftxp';
const LINE_FEED = 0x0a;
/** A larger body is compressed as a stream: joining it with its request would copy it. */
const PIECEWISE_FROM_BYTES = 64 * 1024;
const LEVEL = 1;

/** Returns the bytes to store. The result is a promise only from 64 KB on. */
export function encodePayload(payload: RunPayload | StoredPayload): Buffer | Promise<Buffer> {
  if (typeof payload !== 'string' && 'stored' in payload) return payload.stored;
  if (!isWebhook(payload)) return encodeText(payload);
  const { rawBody } = payload;
  const head = headOf(payload);
  if (rawBody.length >= PIECEWISE_FROM_BYTES) return deflated(head, rawBody);
  const bodyStart = 1 + Buffer.byteLength(head);
  const bytes = Buffer.allocUnsafe(bodyStart + rawBody.length);
  bytes.write(head, 1);
  bytes.set(rawBody, bodyStart);
  return compressed(bytes, WEBHOOK_MARKS);
}

/**
 * Encodes a large webhook synchronously, as `encodePayload` does. Only a worker thread may call it, since it blocks.
 */
export const encodeWebhook = (payload: WebhookPayload): Buffer =>
  marked(
    deflateRawSync(Buffer.concat([Buffer.from(headOf(payload)), payload.rawBody]), { level: LEVEL }),
    WEBHOOK_MARKS,
  );

const headOf = ({ bodyKind, request }: WebhookPayload): string => `${LETTERS[KINDS.indexOf(bodyKind)]}${request}\n`;

export function decodePayload(bytes: Buffer): RunPayload | Promise<RunPayload> {
  if (bytes[0] !== WEBHOOK_MARKS.plain && bytes[0] !== WEBHOOK_MARKS.deflated) return decodeText(bytes);
  const content = decompressed(bytes, WEBHOOK_MARKS);
  return Buffer.isBuffer(content) ? webhookIn(content) : content.then(webhookIn);
}

function webhookIn(content: Buffer): WebhookPayload {
  const end = content.indexOf(LINE_FEED);
  const bodyKind = KINDS[LETTERS.indexOf(String.fromCharCode(content[0] ?? 0))];
  if (end < 0 || !bodyKind) throw new Error('A stored webhook begins with no line about its request.');
  return { bodyKind, request: content.toString('utf8', 1, end), rawBody: content.subarray(end + 1) };
}

async function deflated(head: string, rawBody: Buffer): Promise<Buffer> {
  const deflate = createDeflateRaw({ level: LEVEL });
  deflate.write(head);
  deflate.end(rawBody);
  const pieces: Buffer[] = [Buffer.of(WEBHOOK_MARKS.deflated)];
  for await (const piece of deflate) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
