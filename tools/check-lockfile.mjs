/**
 * Finds packages that are missing in package-lock.json. `npm install` accepts a lock that names only the optional
 * packages of this platform, and then `npm ci` on another platform installs a tool without its binary.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** @returns one line for each package of which a dependency is missing in the lock */
export function findGaps(lock) {
  return Object.entries(lock.packages).flatMap(([path, entry]) => {
    const wanted = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies });
    const missing = wanted.filter((name) => !isLocked(lock, path, name));
    return missing.length > 0 ? [`${path || 'the project'} lacks ${missing.join(', ')}`] : [];
  });
}

/** Looks for a package as Node.js does: in the node_modules of the package at `path`, then in each folder above. */
function isLocked({ packages }, path, name) {
  if (packages[`${path ? `${path}/` : ''}node_modules/${name}`]) return true;
  if (path === '') return false;
  return isLocked({ packages }, path.slice(0, Math.max(0, path.lastIndexOf('node_modules/') - 1)), name);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const gaps = findGaps(JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')));
  for (const gap of gaps) console.error(gap);
  if (gaps.length > 0) {
    console.error('Make a new lock file: rm package-lock.json && npm install --package-lock-only');
    process.exit(1);
  }
}
