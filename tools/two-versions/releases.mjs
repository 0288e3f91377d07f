/** The two releases of the test: this checkout, and another commit that is built in a throw-away folder. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CannotContinue, say } from '../progress.mjs';
import { ensureBuild } from '../start/build.mjs';
import { ensureDependencies } from '../start/install.mjs';

/**
 * @typedef {object} Release
 * @property {'old' | 'new'} name
 * @property {string} root its checkout, with the built apps
 */

const gitIn =
  (root) =>
  (/** @type {string[]} */ ...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** The commit that stands for the release before while there is no tag. */
const BASE = 'tools/two-versions/base-commit';

/** The newest tag before this commit. While there is none, the commit that the repository names instead. */
export function releaseBefore(root) {
  try {
    return gitIn(root)('describe', '--tags', '--abbrev=0');
  } catch {
    const base = readFileSync(join(root, BASE), 'utf8').trim();
    say(`There is no tag, so the release before is the commit in ${BASE}.`);
    return base;
  }
}

/**
 * Builds the commit in the folder, with its own packages.
 * @returns {Promise<{ release: Release, remove: () => unknown }>}
 */
export async function buildRelease(root, ref, folder) {
  const git = gitIn(root);
  const commit = commitOf(git, ref);
  const checkout = join(folder, 'old');
  git('worktree', 'add', '--detach', checkout, commit);
  const remove = () => git('worktree', 'remove', '--force', checkout);
  try {
    say(`The old release is ${ref} (${commit.slice(0, 10)}), in ${checkout}.`);
    await ensureDependencies(checkout);
    await ensureBuild(checkout);
    return { release: { name: 'old', root: checkout }, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function commitOf(git, ref) {
  try {
    return git('rev-parse', '--verify', `${ref}^{commit}`);
  } catch {
    throw new CannotContinue(`--from is wrong: ${ref} is no commit of this repository.`);
  }
}
