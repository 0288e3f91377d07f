import type { AuthValue } from './context-version';

/** What every call knows of its surroundings. */
export interface CallScope {
  readonly projectId: string;
  readonly externalProjectId?: string;
  readonly flowId: string;
  readonly flowVersionId: string;
  readonly stepName: string;
  /** Both end with a slash. */
  readonly apiUrl: string;
  readonly publicUrl: string;
  /** Allows calls to our API in this project, and ends with the call. */
  readonly token: string;
  readonly auth?: AuthValue;
  /** The inputs, coerced to the types that the props name. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Where files belong among the inputs. The worker has them. */
  readonly files?: readonly FilePath[];
}

/** The members of the inputs, one in the other, that lead to a file. */
export type FilePath = readonly (string | number)[];

export interface ActionRequest extends CallScope {
  readonly kind: 'action';
  readonly action: string;
  readonly runId: string;
  readonly isTest?: boolean;
  /** The request that resumed a paused run. */
  readonly resumedBy?: unknown;
  /** The id of the wait that a package of context 0 or 1 may begin. Its URL is known before the wait is. */
  readonly waitId?: string;
}

export type TriggerHook = 'onEnable' | 'onDisable' | 'onRenew' | 'onHandshake' | 'run' | 'test';

export interface TriggerRequest extends CallScope {
  readonly kind: 'trigger';
  readonly trigger: string;
  readonly hook: TriggerHook;
  readonly webhookUrl: string;
  readonly payload?: unknown;
  readonly runId?: string;
  readonly isRepublished?: boolean;
}

export interface OptionsRequest extends CallScope {
  readonly kind: 'options';
  /** The action or the trigger whose prop it is. */
  readonly owner: string;
  readonly prop: string;
  readonly searchValue?: string;
}

export interface ValidateRequest {
  readonly kind: 'validate';
  readonly auth: AuthValue;
  readonly apiUrl: string;
  readonly publicUrl: string;
}

/** A request of an app for its one URL, which the piece reads or checks. */
export interface EventRequest {
  readonly kind: 'parseEvent' | 'verifyEvent';
  readonly payload: unknown;
  readonly webhookSecret?: unknown;
  readonly appWebhookUrl?: string;
  /** Where our API is for the outside, ending with a slash. */
  readonly server?: { readonly publicUrl: string };
}

export type PieceRequest =
  | { readonly kind: 'describe' }
  | ActionRequest
  | TriggerRequest
  | OptionsRequest
  | ValidateRequest
  | EventRequest;

/** The service by which a package has the URL of a wait. It never waits for its turn: nothing of the package may leave before. */
export const OPENING = 'waits.open';

/** What a call may ask its worker for, by name. */
export type Ask = (service: string, ...args: readonly unknown[]) => Promise<unknown>;
