// Decodes the bytes of a feed or of JSON. What says more about the encoding counts first: a byte order mark, the header
// `content-type`, the XML declaration. Without any of them it is UTF-8, as XML and JSON have it.

const DECLARATION_BYTES = 1_024;
const DECLARED = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/i;
const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]+)/i;

/** An encoding that nobody knows is read as UTF-8. Bytes that are no text of the encoding become U+FFFD. */
export function decodedText(bytes: Uint8Array, contentType: string | undefined): string {
  const encoding = markedEncoding(bytes) ?? CHARSET.exec(contentType ?? '')?.[1] ?? declaredEncoding(bytes);
  return decoderOf(encoding ?? 'utf-8').decode(bytes);
}

function markedEncoding([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  // Without a mark, the zeros beside the first `<` tell UTF-16.
  if (first === 0x00 && second === 0x3c) return 'utf-16be';
  return first === 0x3c && second === 0x00 ? 'utf-16le' : undefined;
}

/** A declaration that can be read as ASCII is in no wide encoding, whatever it says. */
function declaredEncoding(bytes: Uint8Array): string | undefined {
  const encoding = DECLARED.exec(Buffer.from(bytes.subarray(0, DECLARATION_BYTES)).toString('latin1'))?.[1];
  return encoding !== undefined && /^utf-?16|^ucs-?2/i.test(encoding) ? undefined : encoding;
}

function decoderOf(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding);
  } catch {
    return new TextDecoder();
  }
}
