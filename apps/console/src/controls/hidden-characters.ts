/** A part of a text; `code` writes out a character that nobody would see. */
export interface TextPart {
  text: string;
  code?: string;
}

/**
 * Characters that nobody sees, and those that would turn the text around them: controls, halves of a surrogate pair,
 * marks of direction, and spaces without a width. Ends of lines and tabs do what they are for.
 */
const HIDDEN = /(?!\r\n|[\n\t])([\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029\u200b\u2060\ufeff])/u;

/** The parts of a text. Each hidden character is a part of its own, with its code as JSON writes it. */
export function textParts(text: string): TextPart[] {
  if (!HIDDEN.test(text)) return [{ text }];
  return text
    .split(HIDDEN)
    .map((part, index) => (index % 2 === 1 ? { text: part, code: codeOf(part) } : { text: part }))
    .filter((part) => part.text !== '');
}

/** The text with its hidden characters written out, for where only text can stand. */
export const shownText = (text: string): string =>
  textParts(text)
    .map((part) => part.code ?? part.text)
    .join('');

const codeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
