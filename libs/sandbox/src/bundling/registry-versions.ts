import { isFromRegistry, isRecord } from './dependencies';

/** A version range that no version meets. */
const NONE = '<0.0.0-0';
/**
 * The fields of a version that npm needs to choose and install it. Fields that would make npm do more are left out:
 * lists of bundled packages, locks inside the archive, scripts.
 */
const KEPT = ['name', 'version', 'engines', 'os', 'cpu', 'libc', 'deprecated', 'peerDependenciesMeta'];
const DEPENDENCIES = ['dependencies', 'optionalDependencies', 'peerDependencies'];

export interface ReadVersions {
  /** The document that npm gets. */
  document: unknown;
  /** The registry's address of each archive, by version. */
  archives: Map<string, string>;
  /** Dependencies that do not come from the registry, with the package that wants each. */
  refused: { dependency: string; wantedBy: string }[];
}

/**
 * Rewrites the registry's document of a package for npm. A dependency on an address, a repository or a path becomes a
 * range that no version meets, so npm cannot follow it. The addresses of archives become addresses of the proxy.
 */
export function readVersions(
  name: string,
  registryDocument: unknown,
  archiveUrl: (version: string) => string,
): ReadVersions {
  const read: ReadVersions = { document: undefined, archives: new Map(), refused: [] };
  const given = isRecord(registryDocument) ? registryDocument : {};
  const versions: Record<string, unknown> = {};
  for (const [version, manifest] of Object.entries(isRecord(given.versions) ? given.versions : {})) {
    if (!isRecord(manifest) || !isRecord(manifest.dist) || typeof manifest.dist.tarball !== 'string') continue;
    read.archives.set(version, manifest.dist.tarball);
    const { integrity, shasum } = manifest.dist;
    versions[version] = {
      ...Object.fromEntries(KEPT.flatMap((field) => (field in manifest ? [[field, manifest[field]]] : []))),
      ...Object.fromEntries(DEPENDENCIES.map((field) => [field, checked(name, manifest[field], read.refused)])),
      dist: { tarball: archiveUrl(version), integrity, shasum },
    };
  }
  read.document = { name, 'dist-tags': given['dist-tags'] ?? {}, versions };
  return read;
}

function checked(wantedBy: string, dependencies: unknown, refused: ReadVersions['refused']): Record<string, string> {
  if (!isRecord(dependencies)) return {};
  const entries = Object.entries(dependencies).map(([dependency, wanted]): [string, string] => {
    if (isFromRegistry(wanted)) return [dependency, wanted];
    refused.push({ dependency, wantedBy });
    return [dependency, NONE];
  });
  return Object.fromEntries(entries);
}
