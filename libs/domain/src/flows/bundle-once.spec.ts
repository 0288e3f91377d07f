import { aCodeBundle } from '../testing/a-code-bundle';
import { InMemoryCodeBundleStore } from '../testing/in-memory-code-bundle-store';
import { bundleOnce } from './bundle-once';

describe('bundleOnce', () => {
  it('makes a bundle when none is stored, and stores it', async () => {
    const store = new InMemoryCodeBundleStore();
    const made = aCodeBundle();

    expect(await bundleOnce(store, 'source', () => Promise.resolve(made))).toEqual(made);

    expect(await store.find('source')).toEqual(made);
  });

  it('gives the stored bundle and makes none', async () => {
    const store = new InMemoryCodeBundleStore();
    const stored = aCodeBundle();
    await store.save('source', stored);
    const bundle = jest.fn();

    expect(await bundleOnce(store, 'source', bundle)).toEqual(stored);

    expect(bundle).not.toHaveBeenCalled();
  });

  it('gives the bundle of whoever stored first', async () => {
    const store = new InMemoryCodeBundleStore();
    const first = aCodeBundle({ script: 'of another process' });
    const bundleWhileAnotherStores = async () => {
      await store.save('source', first);
      return aCodeBundle();
    };

    expect(await bundleOnce(store, 'source', bundleWhileAnotherStores)).toEqual(first);
  });

  it('passes a problem on and stores nothing', async () => {
    const store = new InMemoryCodeBundleStore();
    const problem = { problem: 'No such package.' };

    expect(await bundleOnce(store, 'source', () => Promise.resolve(problem))).toBe(problem);

    expect(await store.find('source')).toBeNull();
  });
});
