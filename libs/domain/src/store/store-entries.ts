import type { Page, PageRequest } from '../page';

export const STORE_SCOPES = ['PROJECT', 'FLOW', 'RUN'] as const;
export type StoreScope = (typeof STORE_SCOPES)[number];

/** Where a value is kept. `scopeId` is the id of the project, flow or run that the scope names. */
export interface StorePlace {
  projectId: string;
  scope: StoreScope;
  scopeId: string;
  /** 1 to 128 characters. */
  key: string;
}

export interface StoreEntry extends StorePlace {
  id: string;
  /** Any JSON value but null, which is the same as no entry. */
  value: unknown;
  created: Date;
  updated: Date;
}

/** Values that flows keep from one run to another. */
export abstract class StoreEntries {
  /** Null when there is none. */
  abstract get(place: StorePlace): Promise<unknown>;
  /**
   * Replaces the value by what `change` makes of it, null when there is none; null removes the entry. Changes of one
   * place follow each other. A change that is repeated under the same `stepKey` right after itself has no effect, so that
   * a step which is repeated after a crash does not append twice. `change` is pure: it is called again when another
   * process was faster. Answers the value after the change.
   */
  abstract change(place: StorePlace, stepKey: string | null, change: (value: unknown) => unknown): Promise<unknown>;
  /** Of a project, newest first. */
  abstract list(
    filter: Pick<StorePlace, 'projectId'> & Partial<StorePlace>,
    page: PageRequest,
  ): Promise<Page<StoreEntry>>;
}
