/** Texts that mean nothing yet, by the field in which they were typed. They are kept until the page is left. */
export const unfinished = new Map<string, string>();
