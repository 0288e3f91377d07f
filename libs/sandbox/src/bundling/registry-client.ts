import { rootCertificates } from 'node:tls';
import { Agent, fetch, type Response } from 'undici';
import type { RegistrySettings } from './registry-settings';

const HEADERS_TIMEOUT_MS = 30_000;

/**
 * Sends requests to the registry that the settings of the machine name. Guests cannot reach other addresses by it: the
 * operator chooses the address, and a guest chooses only the package and the version.
 */
export class RegistryClient {
  private readonly agent: Agent;

  constructor(private readonly settings: RegistrySettings) {
    const ca = settings.certificates.length > 0 ? [...rootCertificates, ...settings.certificates] : undefined;
    this.agent = new Agent({ connect: { ca }, headersTimeout: HEADERS_TIMEOUT_MS, bodyTimeout: HEADERS_TIMEOUT_MS });
  }

  /** Requests the registry's document of a package, which lists its versions and the addresses of their archives. */
  versionsOf(name: string, accept: string): Promise<Response> {
    const registry = this.registryOf(name);
    return this.get(new URL(name.replace('/', '%2f'), registry), accept);
  }

  /** Requests an archive. Undefined when the address has another origin than the registry of that package. */
  archive(name: string, url: string): Promise<Response> | undefined {
    const registry = new URL(this.registryOf(name));
    if (!URL.canParse(url) || new URL(url).origin !== registry.origin) return undefined;
    return this.get(new URL(url), '*/*');
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private registryOf(name: string): string {
    const [scope = ''] = name.split('/');
    const { scopes, url } = this.settings;
    return (Object.hasOwn(scopes, scope) ? scopes[scope] : undefined) ?? url;
  }

  private get(url: URL, accept: string): Promise<Response> {
    const authorization = this.credentialsFor(url);
    return fetch(url, {
      dispatcher: this.agent,
      headers: { accept, ...(authorization === undefined ? {} : { authorization }) },
    });
  }

  private credentialsFor({ host, pathname }: URL): string | undefined {
    const places = Object.keys(this.settings.credentials).filter((place) => `//${host}${pathname}`.startsWith(place));
    const nearest = places.sort((a, b) => b.length - a.length)[0];
    return nearest === undefined ? undefined : this.settings.credentials[nearest];
  }
}
