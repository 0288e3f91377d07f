// An e-mail address is kept in one form, because Unicode writes the same text in several: with composed characters,
// without compatibility characters, in lower case.

/**
 * Something before and after an @, without white space, characters that cannot be seen, and U+FFFD, which stands for
 * what could not be stored. A mail server knows more.
 */
const EMAIL = /^[^\s@\p{C}\ufffd]+@[^\s@\p{C}\ufffd]+$/u;

/** Returns the form of an address in which it is stored, compared and counted. */
export const normalizedEmail = (text: string): string => text.normalize('NFKC').toLowerCase().normalize('NFKC');

/** Says whether a text in that form is an e-mail address. */
export const isEmailAddress = (text: string): boolean => EMAIL.test(text);
