/** The script that the sandbox runs for a code step with bundled packages. */
export interface StoredCodeBundle {
  script: string;
  scriptHash: string;
  sourceMap: string;
}

/**
 * Stores the bundles of code steps with dependencies. A range like `^1.0.0` means another version next week, so every
 * worker runs the bundle that was made when the flow was published. A stored bundle never changes.
 */
export abstract class CodeBundleStore {
  abstract find(sourceHash: string): Promise<StoredCodeBundle | null>;
  /** Stores the first bundle of a source and ignores later ones. */
  abstract save(sourceHash: string, bundle: StoredCodeBundle): Promise<void>;
}
