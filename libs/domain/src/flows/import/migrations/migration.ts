import type { JsonObject } from '../../../json/json-reader';

/**
 * Brings steps of an older schema version to a newer one. A migration leaves unknown values unchanged and never throws:
 * the parser reports problems, with the place in the step as it was sent (moved-members.ts).
 */
export interface Migration {
  /**
   * The version that the migration brings a step to. It is not applied to definitions of this version or a newer one.
   */
  readonly to: number;
  /**
   * True applies the migration to definitions of every version, because exports often have a wrong version or none.
   * What the migration looks for must then not exist in newer versions.
   */
  readonly anyVersion: boolean;
  /** The step in the newer version, or the same object when nothing changes. */
  migrate: (step: JsonObject) => JsonObject;
}
