import { posix } from 'node:path';
import { exports as exportsOf, imports as importsOf } from 'resolve.exports';
import type { PackageFolder } from './package-folder';

const EXTENSIONS = ['.js', '.jsx', '.json', '.ts', '.tsx', '.mjs', '.cjs'];
const BARE_NAME = /^((?:@[^/]+\/)?[^/]+)(?:\/(.*))?$/;
/** An entry of a package.json may lead to a name that another entry replaces. A chain longer than this is a circle. */
const MOST_HOPS = 8;

export type AskedBy = 'import' | 'require';
/** For what a bundle is made. Code steps are no part of Node.js, so they get what packages have for browsers. */
export type BundleTarget = 'browser' | 'node';

/** `empty` means that the `browser` map of a package.json sets the file or package to `false`. */
export type Resolution = { kind: 'file'; name: string; hasSideEffects: boolean } | { kind: 'empty' };

interface Manifest {
  name?: string;
  browser?: string | Record<string, string | false>;
  module?: string;
  main?: string;
  exports?: unknown;
  imports?: unknown;
  sideEffects?: unknown;
}

interface Package {
  folder: string;
  manifest: Manifest;
}

/**
 * Finds the file that an `import` or `require` means, as bundlers for the browser do: it reads `exports`, `imports`,
 * `browser`, `module` and `main` of each package.json. For Node.js it reads neither `browser` nor `module`. All files are looked for in the PackageFolder, so none outside
 * it is found. Names are relative to that folder and separated by `/`.
 */
export class PackageResolution {
  private readonly manifests = new Map<string, Manifest | undefined>();

  constructor(
    private readonly files: PackageFolder,
    private readonly target: BundleTarget = 'browser',
  ) {}

  /** `from` is the folder of the importing file; it is empty for the author's code. Undefined when no file is found. */
  resolve(specifier: string, from: string, askedBy: AskedBy, hops = 0): Resolution | undefined {
    if (hops > MOST_HOPS) return undefined;
    const again = (target: string, folder: string) => this.resolve(target, folder, askedBy, hops + 1);
    if (/^\.{1,2}(?:\/|$)/.test(specifier)) return this.file(posix.join(from, specifier));
    const around = this.packagesAround(from);
    if (specifier.startsWith('#')) {
      const owner = around.find(({ manifest }) => manifest.imports !== undefined);
      const target = owner && firstTarget(() => importsOf(owner.manifest, specifier, conditions(askedBy, this.target)));
      return owner && target !== undefined ? again(target, owner.folder) : undefined;
    }
    const [, name, subpath] = BARE_NAME.exec(specifier) ?? [];
    if (name === undefined || specifier.includes(':')) return undefined;
    for (const { folder, manifest } of around) {
      const target = isMap(manifest.browser) ? manifest.browser[specifier] : undefined;
      if (target === false) return { kind: 'empty' };
      if (target !== undefined && target !== specifier) return again(target, folder);
      if (manifest.name === name && manifest.exports !== undefined)
        return this.inPackage({ folder, manifest }, subpath, askedBy);
    }
    const found = this.findPackage(name, from);
    return found && this.inPackage(found, subpath, askedBy);
  }

  private inPackage(
    { folder, manifest }: Package,
    subpath: string | undefined,
    askedBy: AskedBy,
  ): Resolution | undefined {
    if (manifest.exports !== undefined && manifest.exports !== null) {
      const entry = subpath ? `./${subpath}` : '.';
      const target = firstTarget(() => exportsOf(manifest, entry, conditions(askedBy, this.target)));
      return target === undefined ? undefined : this.file(posix.join(folder, target));
    }
    if (subpath) return this.file(posix.join(folder, subpath));
    for (const main of mainsOf(manifest, askedBy)) {
      const found = this.file(posix.join(folder, main));
      if (found) return found;
    }
    return this.file(posix.join(folder, 'index'));
  }

  /** Finds a file by its name, by its name without extension, or as a folder, and applies the `browser` map to it. */
  private file(name: string): Resolution | undefined {
    const found = this.findFile(name);
    if (found === undefined) return undefined;
    const around = this.packagesAround(posix.dirname(found));
    const owner = around.find(({ manifest }) => isMap(manifest.browser));
    const replaced = owner && replacement(owner, found);
    if (replaced === false) return { kind: 'empty' };
    const final = replaced === undefined ? found : this.findFile(replaced);
    if (final === undefined) return undefined;
    const declared = around.find(({ manifest }) => manifest.sideEffects !== undefined);
    return { kind: 'file', name: final, hasSideEffects: declared?.manifest.sideEffects !== false };
  }

  private findFile(name: string): string | undefined {
    const candidates = ['', ...EXTENSIONS].map((extension) => name + extension);
    const inside = EXTENSIONS.map((extension) => posix.join(name, `index${extension}`));
    const main = this.manifestOf(name)?.main;
    if (typeof main === 'string' && !this.files.isFile(name)) {
      const target = posix.join(name, main);
      candidates.push(...['', ...EXTENSIONS, ...EXTENSIONS.map((end) => `/index${end}`)].map((end) => target + end));
    }
    const found = [...candidates, ...inside].find((candidate) => this.files.isFile(candidate));
    return found === undefined ? undefined : this.files.realName(found);
  }

  private findPackage(name: string, from: string): Package | undefined {
    for (const folder of foldersUp(from)) {
      const place = posix.join(folder, 'node_modules', name);
      const manifest = this.manifestOf(place);
      if (manifest) return { folder: place, manifest };
    }
    return undefined;
  }

  /** The packages whose package.json applies to a folder: the nearest first, and the one below node_modules last. */
  private packagesAround(from: string): Package[] {
    const packages: Package[] = [];
    for (const folder of foldersUp(from)) {
      if (folder === '' || posix.basename(folder) === 'node_modules') break;
      const manifest = this.manifestOf(folder);
      if (manifest) packages.push({ folder, manifest });
    }
    return packages;
  }

  private manifestOf(folder: string): Manifest | undefined {
    if (!this.manifests.has(folder)) this.manifests.set(folder, this.readManifest(folder));
    return this.manifests.get(folder);
  }

  private readManifest(folder: string): Manifest | undefined {
    const text = this.files.read(posix.join(folder, 'package.json'));
    if (text === undefined) return undefined;
    try {
      const manifest: unknown = JSON.parse(text);
      if (!isMap(manifest)) return {};
      return this.target === 'browser' ? manifest : withoutBrowserFields(manifest);
    } catch {
      return {}; // a package whose package.json cannot be read still has its index.js
    }
  }
}

const conditions = (askedBy: AskedBy, target: BundleTarget) => ({
  browser: target === 'browser',
  require: askedBy === 'require',
  conditions: target === 'browser' ? ['module'] : [],
});

function withoutBrowserFields({ browser: _browser, module: _module, ...manifest }: Manifest): Manifest {
  return manifest;
}

/** The first target that the library finds. The library throws when the map has no such entry. */
function firstTarget(look: () => readonly string[] | void): string | undefined {
  try {
    return look()?.[0];
  } catch {
    return undefined;
  }
}

/** An `import` gets the ES module, which bundles better. A `require` gets `main`, which was written for it. */
function mainsOf({ browser, module, main }: Manifest, askedBy: AskedBy): string[] {
  const mains = askedBy === 'import' ? [browser, module, main] : [browser, main, module];
  return mains.filter((name): name is string => typeof name === 'string' && name !== '');
}

/** The file that the `browser` map of a package puts in the place of this one. `false` means an empty module. */
function replacement({ folder, manifest }: Package, file: string): string | false | undefined {
  if (!isMap(manifest.browser)) return undefined;
  const own = posix.relative(folder, file);
  const withoutExtension = own.replace(/\.\w+$/, '');
  for (const key of [own, withoutExtension].flatMap((name) => [`./${name}`, name])) {
    const target = manifest.browser[key];
    if (target === false) return false;
    if (typeof target === 'string') return posix.join(folder, target);
  }
  return undefined;
}

/** For `a/b` the result is `a/b`, `a` and the empty name, which is the package folder itself. */
function foldersUp(from: string): string[] {
  const parts = from.split('/').filter((part) => part !== '' && part !== '.');
  return [...parts.map((_, index) => parts.slice(0, parts.length - index).join('/')), ''];
}

function isMap(value: unknown): value is Record<string, string | false> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
