import { createHash } from 'node:crypto';
import type { Response } from 'undici';
import { isExactVersion, isPackageName, isRecord } from './dependencies';
import { PackageFetchError } from './package-fetch-error';
import { ABBREVIATED, RegistryClient } from './registry-client';
import { registryOfTheMachine } from './registry-of-the-machine';
import type { RegistrySettings } from './registry-settings';

const MB = 1024 * 1024;
/** Statuses below 500 that say to ask again later. */
const LATER = [408, 425, 429];

export const FETCH_LIMITS = { timeMs: 60_000, documentBytes: 20 * MB, archiveBytes: 50 * MB };

export interface PackageArchivesOptions {
  /** Unset, it is the registry that the machine's settings of npm name. They are read for each package. */
  registry?: RegistrySettings;
  limits?: Partial<typeof FETCH_LIMITS>;
}

/** A package by its name in the registry and an exact version. */
export interface PackageVersion {
  readonly name: string;
  readonly version: string;
}

/** What a registry's document says of the archive of one version. */
interface Distribution {
  url: string;
  /** The hashes that the registry names: `sha512-` and base64, or the older SHA-1 as hexadecimal digits. */
  integrity: unknown;
  shasum: unknown;
}

/**
 * Fetches the archives of packages from the registry, without npm. Nothing else is asked: archives that are elsewhere
 * are refused, and no redirect leads out of the registry.
 */
export class PackageArchives {
  private readonly limits: typeof FETCH_LIMITS;
  private readonly underWay = new Set<AbortController>();
  private isClosed = false;

  constructor(private readonly options: PackageArchivesOptions = {}) {
    this.limits = { ...FETCH_LIMITS, ...options.limits };
  }

  /** Throws PackageFetchError, or the reason of `signal`. */
  async fetch(wanted: PackageVersion, signal?: AbortSignal): Promise<Buffer> {
    assertNamesOne(wanted);
    signal?.throwIfAborted();
    if (this.isClosed) throw closed();
    const stop = new AbortController();
    const onAbort = () => stop.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(() => stop.abort(late(this.limits.timeMs)), this.limits.timeMs);
    this.underWay.add(stop);
    try {
      return await this.fetchUntil(stop.signal, wanted);
    } catch (error) {
      stop.signal.throwIfAborted();
      throw error;
    } finally {
      this.underWay.delete(stop);
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Ends what is under way. Later calls are refused. */
  close(): void {
    this.isClosed = true;
    for (const stop of this.underWay) stop.abort(closed());
  }

  private async fetchUntil(stop: AbortSignal, wanted: PackageVersion): Promise<Buffer> {
    const registry = this.options.registry ?? (await settingsOfTheMachine());
    stop.throwIfAborted();
    const client = new RegistryClient(registry, 'within-origin');
    try {
      const distribution = await this.find(client, wanted, stop);
      const archive = await this.download(client, wanted, distribution.url, stop);
      assertUndamaged(archive, wanted, distribution);
      return archive;
    } finally {
      await client.close();
    }
  }

  private async find(
    client: RegistryClient,
    { name, version }: PackageVersion,
    stop: AbortSignal,
  ): Promise<Distribution> {
    const answer = await answered(() => client.versionsOf(name, ABBREVIATED, stop));
    if (answer.status === 404) throw new PackageFetchError(`The registry has no package ${name}.`);
    assertOk(answer, name);
    const limit = this.limits.documentBytes;
    const bytes = await bytesOf(answer, limit, `The document of ${name}`);
    const distribution = distributionOf(version, parsed(bytes, name));
    if (!distribution) throw new PackageFetchError(`The registry has no version ${version} of ${name}.`);
    return distribution;
  }

  private async download(
    client: RegistryClient,
    { name, version }: PackageVersion,
    url: string,
    stop: AbortSignal,
  ): Promise<Buffer> {
    const answer = await answered(async () => client.archive(name, url, stop));
    if (!answer) throw new PackageFetchError(`The archive of ${name} ${version} is not at the registry.`);
    if (answer.status === 404) throw new PackageFetchError(`The registry has no archive of ${name} ${version}.`);
    assertOk(answer, `${name} ${version}`);
    return bytesOf(answer, this.limits.archiveBytes, `The archive of ${name} ${version}`);
  }
}

const closed = () => new PackageFetchError('Packages are no longer fetched here.', { isTransient: true });
const late = (timeMs: number) =>
  new PackageFetchError(`The registry took longer than ${timeMs / 1000} s.`, { isTransient: true });

function assertNamesOne({ name, version }: PackageVersion): void {
  if (!isPackageName(name)) throw new PackageFetchError('That is not the name of a package.');
  if (!isExactVersion(version)) throw new PackageFetchError(`Name an exact version of ${name}, such as 1.2.3.`);
}

async function settingsOfTheMachine(): Promise<RegistrySettings> {
  const settings = await registryOfTheMachine().catch((cause: unknown) => {
    throw new PackageFetchError('npm does not say which registry it uses.', { isTransient: true, cause });
  });
  if (settings) return settings;
  throw new PackageFetchError('No registry is known: no setting of npm names one, and npm is not installed.');
}

async function answered<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (cause) {
    throw new PackageFetchError('The registry cannot be reached.', { isTransient: true, cause });
  }
}

function assertOk({ ok, status }: Response, wanted: string): void {
  if (ok) return;
  const isTransient = status >= 500 || LATER.includes(status);
  const isRedirect = status >= 300 && status < 400;
  throw new PackageFetchError(
    isRedirect
      ? `The registry leads elsewhere for ${wanted}.`
      : `The registry answered ${status} when asked for ${wanted}.`,
    { isTransient },
  );
}

/** The bytes are counted while they arrive, after decompression. */
async function bytesOf({ body }: Response, limit: number, what: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      if (bytes > limit) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new PackageFetchError('The registry broke off its answer.', { isTransient: true, cause });
  }
  if (bytes > limit) throw new PackageFetchError(`${what} is larger than ${sizeOf(limit)}.`);
  return Buffer.concat(chunks);
}

const sizeOf = (bytes: number): string => (bytes < MB ? `${bytes} bytes` : `${Math.floor(bytes / MB)} MB`);

function parsed(bytes: Buffer, name: string): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new PackageFetchError(`The registry's answer about ${name} is no document of a package.`);
  }
}

function distributionOf(version: string, document: unknown): Distribution | undefined {
  const versions = isRecord(document) && isRecord(document.versions) ? document.versions : {};
  const manifest = Object.hasOwn(versions, version) ? versions[version] : undefined;
  if (!isRecord(manifest) || !isRecord(manifest.dist) || typeof manifest.dist.tarball !== 'string') return undefined;
  const { tarball, integrity, shasum } = manifest.dist;
  return { url: tarball, integrity, shasum };
}

/** Compares the archive with the strongest hash that the registry names. Old versions of packages have only SHA-1. */
function assertUndamaged(archive: Buffer, { name, version }: PackageVersion, distribution: Distribution): void {
  const { integrity, shasum } = distribution;
  const [, sha512] = (typeof integrity === 'string' && /(?:^|\s)sha512-([\w+/=]+)/.exec(integrity)) || [];
  const isSame =
    sha512 === undefined
      ? typeof shasum !== 'string' || shasum === createHash('sha1').update(archive).digest('hex')
      : sha512 === createHash('sha512').update(archive).digest('base64');
  if (!isSame)
    throw new PackageFetchError(`The archive of ${name} ${version} has another content than the registry says.`);
}
