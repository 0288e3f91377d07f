import type { StoreScope } from '@millrace/domain';
import type { StepStore } from '../framework/piece';
import { WriteBounds } from '../host/write-bounds';
import type { PackageServices } from './package-calls';

const MOST_KEYS = 100;

interface Written {
  readonly scope: StoreScope;
  readonly key: string;
  value: unknown;
}

/**
 * The store as a call of a package sees it. What it writes is kept until the call has ended, and each key is then
 * changed once: a step that is repeated after a crash finds its changes made.
 */
export class CallStore {
  private readonly written = new Map<string, Written>();
  private readonly bounds = new WriteBounds(MOST_KEYS, 'A call of a package');

  readonly services: PackageServices = {
    'store.get': (key, isOfProject) => this.get(String(key), scopeOf(isOfProject)),
    'store.put': (key, isOfProject, value) => this.put(String(key), scopeOf(isOfProject), value),
    'store.delete': (key, isOfProject) => this.put(String(key), scopeOf(isOfProject), null),
  };

  constructor(private readonly context: { readonly store: StepStore }) {}

  /** Makes the changes of the call. */
  async write(): Promise<void> {
    for (const { scope, key, value } of this.written.values()) await this.context.store.change(scope, key, () => value);
  }

  private get(key: string, scope: StoreScope): Promise<unknown> {
    const own = this.written.get(`${scope} ${key}`);
    return own ? Promise.resolve(own.value) : this.context.store.get(scope, key);
  }

  private async put(key: string, scope: StoreScope, value: unknown): Promise<void> {
    this.bounds.take(scope, key, value);
    this.written.set(`${scope} ${key}`, { scope, key, value: value ?? null });
  }
}

const scopeOf = (isOfProject: unknown): StoreScope => (isOfProject === true ? 'PROJECT' : 'FLOW');
