/** Which files of the repository a build of an image gets: those that `.dockerignore` does not leave out. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** @returns {(path: string) => boolean} whether a path, relative to the repository, is left out; the last pattern wins */
export function readIgnored(root) {
  const patterns = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ isLeftOut: !line.startsWith('!'), matches: matcherOf(line.replace(/^!/, '')) }));
  return (path) => patterns.findLast(({ matches }) => matches(path))?.isLeftOut ?? false;
}

/** A pattern matches a path and all that is below it. */
function matcherOf(pattern) {
  const source = posix
    .normalize(pattern)
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(
      /\*\*\/?|\*|\?/g,
      (wildcard) => ({ '*': '[^/]*', '?': '[^/]', '**/': '(?:.*/)?', '**': '.*' })[wildcard] ?? '',
    );
  const expression = new RegExp(`^${source}(?:/|$)`);
  return (path) => expression.test(path);
}

/** The files of the context below a path: of a folder all of them. */
export function* filesOfContext(root, path = '.', isIgnored = readIgnored(root)) {
  for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
    const name = posix.join(path, entry.name);
    // An exception below a folder that is left out counts, but nothing below these is an exception.
    if (entry.isDirectory() && !/(^|\/)(node_modules|\.git|\.nx|dist)$/.test(name))
      yield* filesOfContext(root, name, isIgnored);
    else if (entry.isFile() && !isIgnored(name)) yield name;
  }
}
