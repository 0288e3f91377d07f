import { rootCertificates } from 'node:tls';
import { Agent, fetch, type Response } from 'undici';
import type { RegistrySettings } from './registry-settings';

const HEADERS_TIMEOUT_MS = 30_000;
const MOST_REDIRECTS = 5;

/** The form of a document that has what an installation needs. A registry that does not know it sends the whole one. */
export const ABBREVIATED = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*';

/** Where an answer of the registry may lead. Credentials never go to another origin. */
export type Redirects = 'anywhere' | 'within-origin';

/**
 * Sends requests to the registry that the settings of the machine name. Guests cannot reach other addresses by it: the
 * operator chooses the address, and a guest chooses only the package and the version.
 */
export class RegistryClient {
  private readonly agent: Agent;

  constructor(
    private readonly settings: RegistrySettings,
    private readonly redirects: Redirects = 'anywhere',
  ) {
    const ca = settings.certificates.length > 0 ? [...rootCertificates, ...settings.certificates] : undefined;
    this.agent = new Agent({ connect: { ca }, headersTimeout: HEADERS_TIMEOUT_MS, bodyTimeout: HEADERS_TIMEOUT_MS });
  }

  /** Requests the registry's document of a package, which lists its versions and the addresses of their archives. */
  versionsOf(name: string, accept: string, signal?: AbortSignal): Promise<Response> {
    const registry = this.registryOf(name);
    return this.get(new URL(name.replace('/', '%2f'), registry), accept, signal);
  }

  /** Requests an archive. Undefined when the address has another origin than the registry of that package. */
  archive(name: string, url: string, signal?: AbortSignal): Promise<Response> | undefined {
    const registry = new URL(this.registryOf(name));
    if (!URL.canParse(url) || new URL(url).origin !== registry.origin) return undefined;
    return this.get(new URL(url), '*/*', signal);
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private registryOf(name: string): string {
    const [scope = ''] = name.split('/');
    const { scopes, url } = this.settings;
    return (Object.hasOwn(scopes, scope) ? scopes[scope] : undefined) ?? url;
  }

  /** Within the origin it follows redirects itself, and returns the answer that leads out of it. */
  private async get(url: URL, accept: string, signal?: AbortSignal): Promise<Response> {
    if (this.redirects === 'anywhere') return this.send(url, accept, 'follow', signal);
    let place = url;
    for (let followed = 0; ; followed++) {
      const answer = await this.send(place, accept, 'manual', signal);
      const next = placeIn(answer, place);
      if (next?.origin !== url.origin || followed === MOST_REDIRECTS) return answer;
      await answer.body?.cancel();
      place = next;
    }
  }

  private send(url: URL, accept: string, redirect: 'follow' | 'manual', signal?: AbortSignal): Promise<Response> {
    const authorization = this.credentialsFor(url);
    return fetch(url, {
      dispatcher: this.agent,
      redirect,
      signal,
      headers: { accept, ...(authorization === undefined ? {} : { authorization }) },
    });
  }

  private credentialsFor({ host, pathname }: URL): string | undefined {
    const places = Object.keys(this.settings.credentials).filter((place) => `//${host}${pathname}`.startsWith(place));
    const nearest = places.sort((a, b) => b.length - a.length)[0];
    return nearest === undefined ? undefined : this.settings.credentials[nearest];
  }
}

/** Where an answer leads to. Undefined when it is no redirect. */
function placeIn({ status, headers }: Response, from: URL): URL | undefined {
  const location = headers.get('location');
  if (status < 300 || status > 399 || location === null || !URL.canParse(location, from.href)) return undefined;
  return new URL(location, from);
}
