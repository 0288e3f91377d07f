import { CodeBundleStore, type StoredCodeBundle } from '../flows/code-bundle.store';

export class InMemoryCodeBundleStore extends CodeBundleStore {
  private readonly bundles = new Map<string, StoredCodeBundle>();

  override find(sourceHash: string): Promise<StoredCodeBundle | null> {
    return Promise.resolve(this.bundles.get(sourceHash) ?? null);
  }

  override save(sourceHash: string, bundle: StoredCodeBundle): Promise<void> {
    if (!this.bundles.has(sourceHash)) this.bundles.set(sourceHash, bundle);
    return Promise.resolve();
  }
}
