/** A part of a text: what can be seen, or the name of one character that cannot. */
export interface TextPart {
  text: string;
  isHidden: boolean;
}

/**
 * Characters that nobody sees, and those that would turn the text around them: controls, halves of a surrogate pair,
 * marks of direction, and spaces without a width. Ends of lines and tabs do what they are for.
 */
const HIDDEN = /(?!\r\n|[\n\t])([\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029\u200b\u2060\ufeff])/u;

/** The parts of a text, in which each hidden character is written as in JSON, such as `\u0000`. */
export function textParts(text: string): TextPart[] {
  if (!HIDDEN.test(text)) return [{ text, isHidden: false }];
  return text
    .split(HIDDEN)
    .map((part, index) => ({ text: index % 2 === 1 ? escaped(part) : part, isHidden: index % 2 === 1 }))
    .filter((part) => part.text !== '');
}

/** The text with its hidden characters written out, for where only text can stand. */
export const shownText = (text: string): string =>
  textParts(text)
    .map((part) => part.text)
    .join('');

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
