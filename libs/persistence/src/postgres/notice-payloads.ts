import type { JsonText } from '@millrace/domain';

/** The longest payload of a notification. PostgreSQL's limit is 8,000 bytes. */
const PAYLOAD_BYTES = 7_900;

/** Returns JSON arrays of the elements, as few as the longest payload allows. */
export function noticePayloads(elements: readonly JsonText[]): string[] {
  const payloads: string[] = [];
  let [from, bytes] = [0, 0];
  elements.forEach((element, i) => {
    const added = Buffer.byteLength(element) + 1;
    if (bytes + added > PAYLOAD_BYTES) {
      payloads.push(`[${elements.slice(from, i).join()}]`);
      [from, bytes] = [i, 0];
    }
    bytes += added;
  });
  if (from < elements.length) payloads.push(`[${elements.slice(from).join()}]`);
  return payloads;
}
