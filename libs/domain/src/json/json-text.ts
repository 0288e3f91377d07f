/** Text that is known to be valid JSON. */
export type JsonText = string;

const ESCAPES = /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^u])/g;
const UNSTORABLE = /^\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})$/;

/**
 * Replaces U+0000 and lone surrogates by U+FFFD, because PostgreSQL and UTF-8 cannot hold them. The text must be valid
 * JSON, in which these characters appear only as escapes.
 */
export function storableJson(text: JsonText): JsonText {
  if (!text.includes('\\u')) return text;
  return text.replace(ESCAPES, (escape) => (UNSTORABLE.test(escape) ? '\ufffd' : escape));
}

/**
 * How deep arrays and objects nest in a JSON text; 0 for a scalar. It counts brackets and does not validate the text.
 */
export function jsonDepth(text: JsonText): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) i = endOfString(text, i);
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x7d || code === 0x5d) depth--;
  }
  return deepest;
}

/** The index of the quotation mark that ends the string which begins at `start`. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
