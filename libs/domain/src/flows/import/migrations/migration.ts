import type { JsonObject } from '../../../json/json-reader';

/**
 * Brings steps of an older schema version to a newer one. It leaves alone what it does not recognise and never throws:
 * what is wrong is said by the parser, about the step as it was sent (moved-members.ts).
 */
export interface Migration {
  /** The version that it brings a step to. Definitions that say they are as new pass it by. */
  readonly to: number;
  /**
   * Whether it is applied whatever version a definition says: what it looks for exists in no newer version, and
   * exports often carry a wrong version or none.
   */
  readonly anyVersion: boolean;
  /** The step as it is in the newer version; the same object when there is nothing to do. */
  migrate(step: JsonObject): JsonObject;
}
