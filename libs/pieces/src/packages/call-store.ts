import type { StepStore, StoredValue } from '../framework/piece';
import { WriteBounds } from '../host/write-bounds';
import type { PackageServices } from './package-calls';

const MOST_KEYS = 100;

/**
 * The store as a call of a package sees it. What it writes is kept until the call has ended, and is then stored
 * together: a call has changed all of it, or nothing.
 */
export class CallStore {
  private readonly written = new Map<string, StoredValue>();
  private readonly bounds = new WriteBounds(MOST_KEYS, 'A call of a package');

  readonly services: PackageServices = {
    'store.get': (key, isOfProject) => this.get(String(key), scopeOf(isOfProject)),
    'store.put': (key, isOfProject, value) => this.put(String(key), scopeOf(isOfProject), value),
    'store.delete': (key, isOfProject) => this.put(String(key), scopeOf(isOfProject), null),
  };

  constructor(private readonly context: { readonly store: StepStore }) {}

  /** Stores what the call has written. */
  async write(): Promise<void> {
    if (this.written.size > 0) await this.context.store.write([...this.written.values()]);
  }

  private get(key: string, scope: StoredValue['scope']): Promise<unknown> {
    const own = this.written.get(`${scope} ${key}`);
    return own ? Promise.resolve(own.value) : this.context.store.get(scope, key);
  }

  private async put(key: string, scope: StoredValue['scope'], value: unknown): Promise<void> {
    this.bounds.take(scope, key, value);
    this.written.set(`${scope} ${key}`, { scope, key, value: value ?? null });
  }
}

const scopeOf = (isOfProject: unknown): StoredValue['scope'] => (isOfProject === true ? 'PROJECT' : 'FLOW');
