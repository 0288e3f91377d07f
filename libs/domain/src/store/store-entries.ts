import type { StoredTexts } from '../connections/referring-texts';
import type { Page, PageRequest } from '../page';
import type { StoreWrite } from './store-writes';

export const STORE_SCOPES = ['PROJECT', 'FLOW', 'RUN'] as const;
export type StoreScope = (typeof STORE_SCOPES)[number];

/** Where a value is stored. `scopeId` is the id of the project, flow or run that the scope names. */
export interface StorePlace {
  projectId: string;
  scope: StoreScope;
  scopeId: string;
  /** The key has 1 to 128 characters. */
  key: string;
}

export interface StoreEntry extends StorePlace {
  id: string;
  /** Any JSON value except null: null means that there is no entry. Values of connections are not in it. */
  value: unknown;
  created: Date;
  updated: Date;
}

/** The values that flows store from one run to the next. By default they are read and written `AS_SHOWN`. */
export abstract class StoreEntries {
  /** The value; null when there is no entry. */
  abstract get(place: StorePlace, texts?: StoredTexts): Promise<unknown>;
  /**
   * Replaces the value by the result of `change`, which receives null when there is no entry; the result null removes
   * the entry. Changes of one place run one after another. A change has no effect when the last change of the place had
   * the same `stepKey`, so that a step which is repeated after a crash does not append twice. `change` must be pure,
   * because it is called again when another process was faster. Resolves with the value after the change.
   */
  abstract change(
    place: StorePlace,
    stepKey: string | null,
    change: (value: unknown) => unknown,
    texts?: StoredTexts,
  ): Promise<unknown>;
  /**
   * Sets these values of a flow and its project together, whatever they were; null removes an entry. What a step writes
   * in this way it writes again when it is repeated. Nothing is kept for a flow that was deleted.
   */
  abstract write(flow: { flowId: string; projectId: string }, writes: readonly StoreWrite[]): Promise<void>;
  /** Lists the entries of a project, newest first. */
  abstract list(
    filter: Pick<StorePlace, 'projectId'> & Partial<StorePlace>,
    page: PageRequest,
  ): Promise<Page<StoreEntry>>;
}
