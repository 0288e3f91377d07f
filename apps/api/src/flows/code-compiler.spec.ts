import { aCodeBundle, InMemoryCodeBundleStore } from '@millrace/domain/testing';
import { guestProgram } from '@millrace/engine';
import type { BundleProblem, CodeBundle, CodeSource } from '@millrace/sandbox';
import { CodeCompiler } from './code-compiler';

const code = "import slug from 'slug'; export const code = slug;";
const withPackage: CodeSource = { code, packageJson: '{"dependencies":{"slug":"^1.0.0"}}' };
const withoutPackages: CodeSource = { code: 'export const code = () => 1;', packageJson: '{}' };

function setUp() {
  const store = new InMemoryCodeBundleStore();
  const bundle = jest.fn<Promise<CodeBundle | BundleProblem>, [CodeSource]>().mockResolvedValue(aCodeBundle());
  const storedFor = (source: CodeSource) => store.find(guestProgram({ kind: 'code', ...source }).hash);
  return { store, bundle, storedFor, compiler: new CodeCompiler(store, { bundle }) };
}

describe('CodeCompiler', () => {
  it('stores the bundle of a source with packages under the hash that the engine gives its program', async () => {
    const { compiler, storedFor } = setUp();

    expect(await compiler.problemsOf(withPackage)).toEqual([]);

    expect(await storedFor(withPackage)).toEqual(aCodeBundle());
  });

  it('does not bundle again what another process stored', async () => {
    const { compiler, store, bundle } = setUp();
    await store.save(guestProgram({ kind: 'code', ...withPackage }).hash, aCodeBundle());

    expect(await compiler.problemsOf(withPackage)).toEqual([]);

    expect(bundle).not.toHaveBeenCalled();
  });

  it('stores nothing of a source without packages, and compiles it once', async () => {
    const { compiler, bundle, storedFor } = setUp();

    await compiler.problemsOf(withoutPackages);
    await compiler.problemsOf(withoutPackages);

    expect(await storedFor(withoutPackages)).toBeNull();
    expect(bundle).toHaveBeenCalledTimes(1);
  });

  it('asks for a stored bundle again after some hours, so that it counts as used', async () => {
    jest.useFakeTimers();
    const { compiler, store, bundle } = setUp();
    const find = jest.spyOn(store, 'find');
    await compiler.problemsOf(withPackage);
    const asked = find.mock.calls.length;

    jest.advanceTimersByTime(5 * 3_600_000);
    await compiler.problemsOf(withPackage);
    expect(find.mock.calls.length).toBe(asked);
    jest.advanceTimersByTime(2 * 3_600_000);
    await compiler.problemsOf(withPackage);

    expect(find.mock.calls.length).toBe(asked + 1);
    expect(bundle).toHaveBeenCalledTimes(1);
    jest.useRealTimers();
  });

  it('tries again some seconds after a package could not be had, and not at once', async () => {
    jest.useFakeTimers();
    const { compiler, bundle, storedFor } = setUp();
    bundle.mockResolvedValueOnce({ problem: 'The registry is away.' });

    expect(await compiler.problemsOf(withPackage)).toEqual(['The registry is away.']);
    expect(await storedFor(withPackage)).toBeNull();
    expect(await compiler.problemsOf(withPackage)).toEqual(['The registry is away.']);
    jest.advanceTimersByTime(6_000);
    expect(await compiler.problemsOf(withPackage)).toEqual([]);
    jest.useRealTimers();
  });

  it('names the place of a mistake and remembers it', async () => {
    const { compiler, bundle } = setUp();
    bundle.mockResolvedValueOnce({ problem: 'Unexpected end.', line: 2, column: 5 });

    const problems = await compiler.problemsOf(withoutPackages);

    expect(problems).toEqual(['Line 2, column 5: Unexpected end.']);
    expect(await compiler.problemsOf(withoutPackages)).toEqual(problems);
  });

  it('lets nothing be published whose bundle could not be stored', async () => {
    const { compiler, store, storedFor } = setUp();
    jest.spyOn(store, 'save').mockRejectedValueOnce(new Error('The database is away.'));

    await expect(compiler.problemsOf(withPackage)).rejects.toThrow('The database is away.');

    expect(await compiler.problemsOf(withPackage)).toEqual([]);
    expect(await storedFor(withPackage)).toEqual(aCodeBundle());
  });
});
