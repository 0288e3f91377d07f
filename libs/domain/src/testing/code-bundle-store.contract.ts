import type { CodeBundleStore } from '../flows/code-bundle.store';
import { aCodeBundle } from './a-code-bundle';

/** The promises of every CodeBundleStore. `store` returns the same store each time. */
export function describeCodeBundleStore(name: string, store: () => CodeBundleStore): void {
  describe(name, () => {
    it('finds nothing for a source that was never bundled', async () => {
      expect(await store().find('never bundled')).toBeNull();
    });

    it('gives back what was saved, to the last character', async () => {
      const bundle = aCodeBundle({ script: 'nul \0, lone \ud800, pair 😀, written \\u0000' });

      await store().save('odd characters', bundle);

      expect(await store().find('odd characters')).toEqual(bundle);
    });

    it('keeps the first of two bundles of a source', async () => {
      const first = aCodeBundle({ script: 'first' });

      await store().save('twice', first);
      await store().save('twice', aCodeBundle({ script: 'second' }));

      expect(await store().find('twice')).toEqual(first);
    });
  });
}
