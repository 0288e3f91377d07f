import type { AppListener, AskedSchedule, Elsewhere, OutboundHttp, StoreWrite, TriggerPayload } from '@millrace/domain';
import type { FilesOfStep } from './files';

// The hooks by which a trigger takes part in the life of its flow. `docs/write-a-piece.md` shows them.

/** The store as a hook sees it. Its changes are written together with what the hook was called for. */
export interface HookStore {
  /** The value of a key, or null when it has none. The scope is FLOW unless it is given. */
  get(key: string, scope?: StoreWrite['scope']): Promise<unknown>;
  /** The value must be JSON. */
  put(key: string, value: unknown, scope?: StoreWrite['scope']): Promise<void>;
  delete(key: string, scope?: StoreWrite['scope']): Promise<void>;
}

/** Everything that a hook of a trigger can see and do. */
export interface HookContext<Input, Auth = undefined> {
  /** The author's input, with its connections read and its values coerced to the props. */
  input: Input;
  auth: Auth;
  flow: { id: string; projectId: string; versionId: string };
  /** The URL that starts the flow. */
  webhookUrl: string;
  /** The flow was enabled before, and only its version changes. */
  isRepublish: boolean;
  /** The request for which `run` or `onHandshake` is called. */
  payload: TriggerPayload | null;
  /**
   * What expressions read of a connection of the project, by its external id. Its value is hidden from then on. Undefined
   * when the project has none, or one that cannot be used.
   */
  connection: (externalId: string) => Promise<unknown>;
  store: HookStore;
  files: FilesOfStep;
  /** Does work that waits here at first. From the call of `begun` until its end it goes on in another process. */
  elsewhere: Elsewhere;
  /** The signal aborts when the hook is out of time, or when the worker stops. */
  signal: AbortSignal;
  /** The client for requests to other services, which a hook must use. */
  http: OutboundHttp;
  now: () => Date;
  /** Says when the trigger polls. Without it the interval of the installation counts. */
  setSchedule: (schedule: AskedSchedule) => void;
  /** Names events of an app that has one webhook URL for all its users. */
  createListeners: (listener: AppListener) => void;
}

/** What a trigger answers to another service that asks whether the webhook URL is meant for it. */
export interface HandshakeAnswer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
}

/**
 * The hooks of a trigger, each of which may be absent. A hook may be called again with the same arguments after a crash.
 * An error fails the hook with the error's message.
 */
export interface Hooks<Input, Auth> {
  /** Is called before the flow is enabled or republished. When it fails the flow is not enabled. */
  onEnable?(context: HookContext<Input, Auth>): Promise<void>;
  /** Is called after the flow was disabled or deleted, until it succeeds or a day is over. */
  onDisable?(context: HookContext<Input, Auth>): Promise<void>;
  /** Is called as `renewal` says while the flow is enabled. */
  onRenew?(context: HookContext<Input, Auth>): Promise<void>;
  /** Makes the items of a request or a poll. Each starts a run. */
  run?(context: HookContext<Input, Auth>): Promise<readonly unknown[]>;
  /** Makes sample items. What it changes in the store is dropped. */
  test?(context: HookContext<Input, Auth>): Promise<readonly unknown[]>;
  onHandshake?(context: HookContext<Input, Auth>): Promise<HandshakeAnswer>;
}
