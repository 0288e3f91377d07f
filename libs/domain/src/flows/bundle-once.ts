import type { CodeBundleStore, StoredCodeBundle } from './code-bundle.store';

/**
 * Returns the stored bundle of a source, and makes and stores it when there is none. When two processes make one at the
 * same time, both get the bundle that was stored first. A problem is returned and not stored.
 */
export async function bundleOnce<Problem extends { problem: string }>(
  store: CodeBundleStore,
  sourceHash: string,
  bundle: () => Promise<StoredCodeBundle | Problem>,
): Promise<StoredCodeBundle | Problem> {
  const stored = await store.find(sourceHash);
  if (stored) return stored;
  const made = await bundle();
  if ('problem' in made) return made;
  await store.save(sourceHash, made);
  return (await store.find(sourceHash)) ?? made;
}
