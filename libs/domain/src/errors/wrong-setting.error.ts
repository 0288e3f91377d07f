/**
 * Thrown at the start of an app when a setting is well formed but does not fit this installation. The message names the
 * setting. A restart does not mend it.
 */
export class WrongSettingError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}
