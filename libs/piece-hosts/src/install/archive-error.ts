/** An archive cannot be used as a package. The message is a sentence for the person who wants it. */
export class ArchiveError extends Error {}
