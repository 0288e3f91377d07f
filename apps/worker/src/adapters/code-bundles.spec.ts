import { aCodeBundle, InMemoryCodeBundleStore } from '@millrace/domain/testing';
import { guestProgram, type GuestProgram } from '@millrace/engine';
import type { BundleProblem, CodeBundle, CodeSource } from '@millrace/sandbox';
import { CodeBundles } from './code-bundles';

const program = (packageJson: string) =>
  guestProgram({ kind: 'code', code: 'export const code = () => 1;', packageJson }) as Extract<
    GuestProgram,
    { kind: 'code' }
  >;
const withPackage = program('{"dependencies":{"slug":"^1.0.0"}}');
const withoutPackages = program('{}');
const published = aCodeBundle({ script: 'bundled when it was published' });

function setUp() {
  const store = new InMemoryCodeBundleStore();
  const bundle = jest.fn<Promise<CodeBundle | BundleProblem>, [CodeSource]>().mockResolvedValue(aCodeBundle());
  return { store, bundle, bundles: new CodeBundles(store, { bundle }) };
}

describe('CodeBundles', () => {
  it('runs the bundle that was stored when the flow was published', async () => {
    const { store, bundle, bundles } = setUp();
    await store.save(withPackage.hash, published);

    expect(await bundles.get(withPackage)).toEqual(published);

    expect(bundle).not.toHaveBeenCalled();
  });

  it('bundles what nobody stored, and stores it', async () => {
    const { store, bundles } = setUp();

    expect(await bundles.get(withPackage)).toEqual(aCodeBundle());

    expect(await store.find(withPackage.hash)).toEqual(aCodeBundle());
  });

  it('runs the bundle of the worker that stored first', async () => {
    const { store, bundle, bundles } = setUp();
    bundle.mockImplementationOnce(async () => {
      await store.save(withPackage.hash, published);
      return aCodeBundle();
    });

    expect(await bundles.get(withPackage)).toEqual(published);
  });

  it('asks the store once for runs that start together or later', async () => {
    const { store, bundles } = setUp();
    await store.save(withPackage.hash, published);
    const find = jest.spyOn(store, 'find');

    await Promise.all([bundles.get(withPackage), bundles.get(withPackage)]);
    await bundles.get(withPackage);

    expect(find).toHaveBeenCalledTimes(1);
  });

  it('does not ask the store about a source without packages', async () => {
    const { store, bundles } = setUp();
    await store.save(withoutPackages.hash, published);

    expect(await bundles.get(withoutPackages)).toEqual(aCodeBundle());
  });

  it('tries again when the store was away', async () => {
    const { store, bundles } = setUp();
    await store.save(withPackage.hash, published);
    jest.spyOn(store, 'find').mockRejectedValueOnce(new Error('The database is away.'));

    await expect(bundles.get(withPackage)).rejects.toThrow('The database is away.');

    expect(await bundles.get(withPackage)).toEqual(published);
  });

  it('tries again when a package could not be had', async () => {
    const { bundle, bundles } = setUp();
    bundle.mockResolvedValueOnce({ problem: 'The registry is away.' });

    expect(await bundles.get(withPackage)).toEqual({ problem: 'The registry is away.' });

    expect(await bundles.get(withPackage)).toEqual(aCodeBundle());
  });

  it('remembers a mistake at a line', async () => {
    const { bundle, bundles } = setUp();
    const mistake = { problem: 'Unexpected end.', line: 1, column: 1 };
    bundle.mockResolvedValueOnce(mistake);

    await bundles.get(withoutPackages);

    expect(await bundles.get(withoutPackages)).toEqual(mistake);
  });
});
