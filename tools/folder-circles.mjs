// Finds folders of a project that import one another in a circle. A change of one such folder needs knowledge of all.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const NOT_PRODUCTION = /\.(spec|int-spec|e2e-spec)\.ts$|(^|\/)testing\//;
/** What a project exports to others: in Node.js, and in browsers. */
const EXPORTS = ['index.ts', 'browser.ts'];

/**
 * Finds the circles of a project. `sources` are pairs `[path, text]`, with the path relative to `src`. The files of
 * exports and tests are left out. The files beside the folders count as the folder ".".
 * @returns each circle as the folders on it, the first one again at the end
 */
export function findCircles(sources) {
  const imports = importsByFolder(sources.filter(([path]) => !EXPORTS.includes(path) && !NOT_PRODUCTION.test(path)));
  const circles = [];
  const known = new Set();
  for (const folder of imports.keys()) {
    if (known.has(folder)) continue;
    const circle = shortestWayBack(imports, folder);
    if (!circle) continue;
    circles.push(circle);
    circle.forEach((each) => known.add(each));
  }
  return circles;
}

function importsByFolder(sources) {
  const imports = new Map();
  for (const [path, text] of sources) {
    const folder = dirname(path);
    for (const { fileName } of ts.preProcessFile(text).importedFiles) {
      if (!fileName.startsWith('.')) continue;
      const imported = dirname(join(folder, fileName));
      if (imported !== folder) imports.set(folder, (imports.get(folder) ?? new Set()).add(imported));
    }
  }
  return imports;
}

function shortestWayBack(imports, start) {
  const ways = [[start]];
  const seen = new Set();
  for (const way of ways)
    for (const next of imports.get(way.at(-1)) ?? []) {
      if (next === start) return [...way, start];
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  return null;
}

function sourcesOf(project) {
  const src = join(project, 'src');
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [path, readFileSync(join(src, path), 'utf8')]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const projects = ['apps', 'libs'].flatMap((kind) =>
    readdirSync(join(root, kind)).map((name) => join(root, kind, name)),
  );
  const circles = projects.flatMap((project) =>
    findCircles(sourcesOf(project)).map((circle) => `${relative(root, project)}: ${circle.join(' → ')}`),
  );
  for (const circle of circles) console.error(circle);
  if (circles.length > 0) {
    console.error(
      'These folders import one another in a circle. Move the shared code into a folder that all may import.',
    );
    process.exitCode = 1;
  }
}
