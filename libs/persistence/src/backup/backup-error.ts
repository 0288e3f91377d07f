/** Thrown when a backup or a restore cannot be made. The message says what to do; nothing is half done. */
export class BackupError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}
