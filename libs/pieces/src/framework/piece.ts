import type {
  AppRequest,
  AskedSchedule,
  Elsewhere,
  FoundItem,
  HandshakeSign,
  HumanRequest,
  Mailer,
  OutboundHttp,
  PieceCategory,
  PieceSignIn,
  ReadEvent,
  RenewalTimes,
  RunEffects,
  RunResponse,
  StoreScope,
  StoreWrite,
  TriggerKind,
  TriggerPlan,
  WaitEnding,
} from '@millrace/domain';
import type { AuthOf, PieceAuth } from './auth';
import type { FilesOfStep } from './files';
import type { Hooks, HookStore } from './hooks';
import type { InputOf, Props } from './props';
import type { ChildStart, WaitFor } from './waiting';

// A piece is the integration of another service: a name, with triggers and actions and their inputs. Built-in pieces
// and installed packages have this same shape.

export interface ActionRun {
  id: string;
  flowId: string;
  projectId: string;
  /** The key of the step. It is the same when the step is repeated, after a crash or at its next attempt. */
  stepKey: string;
}

/** The store as one step sees it. The step changes a key only once, however often the step is repeated. */
export interface StepStore {
  /** The value of a key, or null when it has none. */
  get(scope: StoreScope, key: string): Promise<unknown>;
  /**
   * Changes the value of a key and resolves with the value after the change (see `StoreEntries.change`). A step must
   * change a key only once, because a second change would count as a repetition of the first.
   */
  change(scope: StoreScope, key: string, change: (value: unknown) => unknown): Promise<unknown>;
  /** Sets these values together, whatever they were; null removes one. A step that is repeated sets them again. */
  write(values: readonly StoredValue[]): Promise<void>;
}

export interface StoredValue {
  scope: StoreWrite['scope'];
  key: string;
  value: unknown;
}

/** Everything that an action can see and do. */
export interface ActionContext<Input, Auth = undefined> {
  /** The author's input, with its expressions resolved and its values coerced to the props. */
  input: Input;
  auth: Auth;
  run: ActionRun;
  /** The version of the flow that the run executes. Absent outside of runs. */
  flowVersionId?: string;
  /** The author tests this step alone. */
  isTest?: boolean;
  /** What editors note of the inputs of the step, by their names. Absent where they note nothing. */
  propertySettings?: Readonly<Record<string, unknown>>;
  /** The signal aborts when the run is cancelled or out of time, or when the worker has to leave the run. */
  signal: AbortSignal;
  /**
   * The client for requests to other services, which an action must use. Requests end when `signal` aborts, and carry
   * the step key as `Idempotency-Key`. An action that sends several requests gives each its own `idempotencyKey`, made
   * from the step key.
   */
  http: OutboundHttp;
  /** The run executes apart from others, in no slot, because it has lost workers: nothing of it should wait for long. */
  isApart: boolean;
  /**
   * Does work that waits here at first. From the call of `begun` until its end it goes on in another process, and the run
   * leaves its place among those that execute here to others.
   */
  elsewhere: Elsewhere;
  store: StepStore;
  mail: Pick<Mailer, 'send'>;
  files: FilesOfStep;
  /**
   * What expressions read of a connection of the project, by its external id. The run hides it from then on. Undefined
   * when the project has none, or one that cannot be used.
   */
  connection: (externalId: string) => Promise<unknown>;
  now: () => Date;
  /** Adds a line to the logs of the step. */
  log: (line: string) => void;
  /** Ends the run after the action has returned. */
  stop: (ending: NonNullable<RunEffects['stop']>) => void;
  addTag: (name: string) => void;
  /** Sets the response of the run, which its caller gets. The first response counts. */
  respond: (response: RunResponse) => void;
  /**
   * Asks for a wait, which the action must return. The run then pauses, and `resume` is called with the wait's ending.
   */
  waitFor: WaitFor;
  /**
   * The URL that answers the request for which this action is about to wait. Send it with `respond`, because the
   * response is sent only after the wait is on record, and the URL does not work before.
   */
  answerUrl: (kind: HumanRequest['kind']) => string;
  /**
   * Opens the request whose URL `answerUrl` tells, and resolves with the URL when it works. The action waits for the
   * request when it returns, or the action of a later step does. An answer that comes before is not lost.
   */
  openAnswerUrl: (request: HumanRequest) => Promise<string>;
  /** Opens a request for which a later step waits, and returns its URL. The request is open before that step begins. */
  openRequest: (request: HumanRequest) => string;
  /**
   * Starts a run of another flow without waiting for it, and resolves with its id. A repeated step starts no second
   * run. So an action that starts several says of each by what it is recognized (`content`), in whatever order they come
   * the next time. Those of equal content are started one after the other.
   */
  startRun: (start: ChildStart & { failParentOnFailure: boolean; content?: unknown }) => Promise<string>;
  /**
   * Publishes a named event in the project of the run, and resolves with the number of runs that it starts: 0 when an
   * event of this name and id was published within 24 h.
   */
  emit: (event: { id: string; name: string; data: unknown }) => Promise<number>;
}

/** Describes the output of a step to its author: one sentence, or one for each member of an output object. */
export type OutputDescription = string | Readonly<Record<string, string>>;

interface Described<P extends Props> {
  displayName: string;
  description: string;
  props: P;
  /** Every built-in trigger and action has a description of its output, because `docs/pieces` shows it. */
  output?: OutputDescription;
  /**
   * The members that the trigger or action reads of an input, or of each object in an input that is a list. The names of
   * the inputs are its keys. Draft inputs are checked by them: a misfit is a problem, and an unknown member a warning.
   */
  members?(input: Readonly<Record<string, unknown>>): Readonly<Record<string, Props>>;
  /** Problems of an input, as the author wrote it, that the props alone cannot find. Each is one sentence. */
  problems?(input: Readonly<Record<string, unknown>>): string[];
  /** As `problems`, but these leave the step valid: the input works otherwise than its author may think. */
  warnings?(input: Readonly<Record<string, unknown>>): string[];
}

/**
 * What a trigger that polls remembers of a source. A change is kept only when the poll succeeds: it is written in one
 * transaction with the runs for the items that the poll found.
 */
export interface TriggerStore {
  /** The value of a key, or null when it has none. */
  get(key: string): unknown;
  /** The value must be JSON. */
  put(key: string, value: unknown): void;
  delete(key: string): void;
}

/** Everything that a trigger can see and do while it polls. */
export interface PollContext<Input> {
  /** The author's input, with its connections read and its values coerced to the props. */
  input: Input;
  /** The connection, when the trigger has one. */
  auth?: unknown;
  flow: { id: string; projectId: string };
  /** The signal aborts when the poll is out of time, or when the worker stops. */
  signal: AbortSignal;
  /** The client for requests to other services, which a trigger must use. */
  http: OutboundHttp;
  /**
   * What expressions read of a connection of the project, by its external id. Its value is hidden from then on. Undefined
   * when the project has none, or one that cannot be used.
   */
  connection: (externalId: string) => Promise<unknown>;
  store: TriggerStore;
  /** Does work that waits here at first. From the call of `begun` until its end it goes on in another process. */
  elsewhere: Elsewhere;
  /** The store that the hooks of the trigger and the flow's actions see. Its changes are kept as those of `store`. */
  flowStore: HookStore;
  files: FilesOfStep;
  now: () => Date;
  /**
   * Says when the trigger polls from now on. It then says itself what is new: equal items start a run each. Without it
   * the interval of the installation counts.
   */
  setSchedule: (schedule: AskedSchedule) => void;
}

export interface TriggerDefinition<P extends Props = Props>
  extends Described<P>, Hooks<Readonly<Record<string, unknown>>, unknown> {
  resultType: TriggerKind;
  /** The kind of connection that the trigger needs: that of the piece. A trigger without `auth` needs none. */
  auth?: PieceAuth;
  /** When `onRenew` is called. Every trigger with that hook has it. */
  renewal?: RenewalTimes;
  /** How the requests are known that `onHandshake` answers. Every trigger with that hook has it. */
  handshake?: HandshakeSign;
  /**
   * The items that are there now, oldest first. An item that was there at an earlier poll starts no second run, and the
   * first poll starts none. An error fails the poll with the error's message; it is tried again later.
   */
  poll?(context: PollContext<Readonly<Record<string, unknown>>>): Promise<readonly FoundItem[]>;
  /** The inputs that say what is polled. After a change of one of them the next poll counts as the first. */
  polledInputs?: readonly string[];
  /** What the trigger waits for while its flow is enabled. Absent for a trigger that is only looked up. */
  plan?(input: Readonly<Record<string, unknown>>): Omit<TriggerPlan, 'kind'>;
}

interface ActionTraits<A extends PieceAuth> {
  /** The kind of connection that the action needs: that of its piece. An action without `auth` needs no connection. */
  auth?: A;
  /** The action has no effect outside its run, so it may be repeated. */
  isPure?: boolean;
}

export interface ActionDefinition extends Described<Props>, ActionTraits<PieceAuth> {
  run(context: ActionContext<Readonly<Record<string, unknown>>, unknown>): Promise<unknown>;
  resume?(context: ActionContext<Readonly<Record<string, unknown>>, unknown>, ending: WaitEnding): Promise<unknown>;
}

export interface PieceDefinition {
  name: string;
  displayName: string;
  description: string;
  category: PieceCategory;
  /** Other words for what the piece does, in small letters, by which people look for it. */
  keywords: readonly string[];
  version: string;
  auth: PieceAuth;
  /** How people sign in to its provider by OAuth 2.0. Absent for a piece without that. */
  signIn?: PieceSignIn & { inputs: Props };
  /**
   * Why a connection, coerced to `auth`, does not work: one sentence, or null when nothing speaks against it. It rejects
   * with the error that the piece throws. Absent for a piece that does not check connections.
   */
  validate?(auth: unknown, context: { projectId: string; signal: AbortSignal }): Promise<string | null>;
  /** Whether `validate` can say anything of this connection. It can of any, where this is absent. */
  validates?(auth: unknown): boolean;
  /**
   * Verifies a request at the URL of its app, and reads it. Null when the request is not from the provider. Absent for a
   * piece without an app.
   */
  readEvent?(request: AppRequest, context: { projectId: string; signal: AbortSignal }): Promise<ReadEvent | null>;
  triggers: Readonly<Record<string, TriggerDefinition>>;
  actions: Readonly<Record<string, ActionDefinition>>;
}

/** Fails an action. `retryAfterMs` says when another attempt makes sense. Every other error fails the action too. */
export class ActionFailure extends Error {
  constructor(
    /** One sentence for the author of the flow. */
    message: string,
    readonly retryAfterMs?: number,
  ) {
    super(message);
    this.name = 'ActionFailure';
  }
}

export const definePiece = (piece: PieceDefinition): PieceDefinition => piece;

type TypedTrigger<P extends Props, A extends PieceAuth> = Omit<
  TriggerDefinition<P>,
  'poll' | 'polledInputs' | 'auth' | keyof Hooks<unknown, unknown>
> &
  Hooks<InputOf<P>, AuthOf<A>> & {
    auth?: A;
    poll?(context: PollContext<InputOf<P>>): Promise<readonly FoundItem[]>;
    polledInputs?: readonly (keyof P & string)[];
  };

/** Defines a trigger whose hooks are typed by its props and its auth. The result has the type that all triggers share. */
export const defineTrigger = <const P extends Props, const A extends PieceAuth = { kind: 'none' }>(
  trigger: TypedTrigger<P, A>,
): TriggerDefinition => trigger;

type TypedAction<P extends Props, A extends PieceAuth> = Described<P> &
  ActionTraits<A> & {
    /** The result, as JSON, is the output of the step. An error fails the step with the error's message. */
    run(context: ActionContext<InputOf<P>, AuthOf<A>>): Promise<unknown>;
    /**
     * Is called after the wait that `run` returned has ended. Its result is treated as that of `run`. When `resume` is
     * absent, the output is the ending: a person's answer, or the whole ending of another kind of wait.
     */
    resume?(context: ActionContext<InputOf<P>, AuthOf<A>>, ending: WaitEnding): Promise<unknown>;
  };

/** Defines an action whose `run` is typed by its props and its auth. The result has the type that all actions share. */
export const defineAction = <const P extends Props, const A extends PieceAuth = { kind: 'none' }>(
  action: TypedAction<P, A>,
): ActionDefinition => action;
