import type { CodeBundleStore, StoredCodeBundle } from './code-bundle.store';

/**
 * The stored bundle of a source; made and stored when there is none. Of two processes that make one at the same time,
 * both get the one that was stored first. A problem is passed on and not stored.
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
