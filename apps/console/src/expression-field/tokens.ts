// Where the tokens of a text are, to colour them and to complete what is in them. What a token means is said by the
// service; here its end is only looked for where braces, texts and comments of JavaScript can hide it.

/** A token with its braces: `text.slice(from, to)` is `{{ … }}`. */
export interface Token {
  from: number;
  to: number;
  /** What is between the braces, without blanks around it. */
  source: string;
}

/** Longer ones are none for the service either. */
const LONGEST = 10_000;
/** More are not coloured. */
const MOST_TOKENS = 1_000;

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let open = text.indexOf('{{'); open >= 0 && tokens.length < MOST_TOKENS;) {
    const close = closeOf(text, open + 2);
    if (close === null) break;
    const to = close + 2;
    tokens.push({ from: open, to, source: text.slice(open + 2, close).trim() });
    open = text.indexOf('{{', to);
  }
  return tokens;
}

/** The place of the `}}` that ends the expression at `from`; of the next one when the expression itself has no end. */
function closeOf(text: string, from: number): number | null {
  const next = text.indexOf('}}', from);
  if (next < 0) return null;
  const end = Math.min(text.length, from + LONGEST);
  let depth = 0;
  for (let at = from; at < end; at++) {
    const letter = text.charAt(at);
    if (letter === '"' || letter === "'" || letter === '`') at = endOfText(text, at, end);
    else if (letter === '{') depth++;
    else if (letter === '}' && depth > 0) depth--;
    else if (letter === '}' && text.charAt(at + 1) === '}') return at;
  }
  return next - from > LONGEST ? null : next;
}

/** The place of the quotation mark that ends the text at `from`; `from` itself when the text has no end. */
function endOfText(text: string, from: number, end: number): number {
  const mark = text.charAt(from);
  for (let at = from + 1; at < end; at++) {
    const letter = text.charAt(at);
    if (letter === '\\') at++;
    else if (letter === mark) return at;
    else if (letter === '\n' && mark !== '`') return from;
  }
  return from;
}

/** What stands in the token around a place, up to that place; null outside of tokens. A token may have no end yet. */
export function typedInToken(text: string, at: number): string | null {
  const around = tokensOf(text).find(({ from, to }) => from + 2 <= at && at <= to - 2);
  if (around) return text.slice(around.from + 2, at);
  const open = text.lastIndexOf('{{', at - 2);
  if (open < 0 || open + 2 > at || at - open > LONGEST) return null;
  const typed = text.slice(open + 2, at);
  return typed.includes('}}') ? null : typed;
}
