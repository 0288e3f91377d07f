/** What the sandbox runs of a code step whose packages were bundled. */
export interface StoredCodeBundle {
  script: string;
  scriptHash: string;
  sourceMap: string;
}

/**
 * Bundles of the code steps that have dependencies. A range like `^1.0.0` means another version next week, so the
 * bundle made when a flow is published is kept, and every worker runs that one. A stored bundle never changes.
 */
export abstract class CodeBundleStore {
  abstract find(sourceHash: string): Promise<StoredCodeBundle | null>;
  /** The first bundle of a source stays; a later one is ignored. */
  abstract save(sourceHash: string, bundle: StoredCodeBundle): Promise<void>;
}
