import type {
  HumanRequest,
  Mailer,
  OutboundHttp,
  RunEffects,
  RunResponse,
  StoreScope,
  TriggerKind,
  WaitEnding,
} from '@millrace/domain';
import type { AuthOf, PieceAuth } from './auth';
import type { InputOf, Props } from './props';
import type { ChildStart, WaitFor } from './waiting';

// What a piece is: a name for a system out there, with triggers and actions and the inputs they take. Built-in pieces
// and installed packages have this one shape.

export interface ActionRun {
  id: string;
  flowId: string;
  projectId: string;
  /** The same whenever the step is repeated: after a crash, or by a retry. */
  stepKey: string;
}

/** The store, seen from one step. A change of a key is made once, however often the step is repeated. */
export interface StepStore {
  /** Null when there is none. */
  get(scope: StoreScope, key: string): Promise<unknown>;
  /** As StoreEntries.change. Change one key once in a step: a second change would be taken for a repetition. */
  change(scope: StoreScope, key: string, change: (value: unknown) => unknown): Promise<unknown>;
}

/** All that an action can see and do. */
export interface ActionContext<Input, Auth = undefined> {
  /** What the author wrote, resolved and made what the props say. */
  input: Input;
  auth: Auth;
  run: ActionRun;
  /** Aborted when the run is cancelled or out of time. */
  signal: AbortSignal;
  /**
   * The only way out. Ends with `signal`, and sends the step key as `Idempotency-Key`; an action that sends several
   * requests gives each an `idempotencyKey` of its own, made from the step key.
   */
  http: OutboundHttp;
  store: StepStore;
  mail: Pick<Mailer, 'send'>;
  now(): Date;
  /** Adds a line to the logs of the step. */
  log(line: string): void;
  /** Ends the run, once the action has returned. */
  stop(ending: NonNullable<RunEffects['stop']>): void;
  addTag(name: string): void;
  /** Answers whoever waits for the run; the last answer counts. */
  respond(response: RunResponse): void;
  /** What it gives must be what the action returns: the run pauses, and `resume` is called with how the wait ended. */
  waitFor: WaitFor;
  /**
   * Where the request is answered that this action is about to wait for. Give it away with `respond`, which goes out when
   * the wait is on record: before that there is no such request.
   */
  answerUrl(kind: HumanRequest['kind']): string;
  /** Opens a request that a later step of the flow waits for, and answers its URL. It is open before that step begins. */
  openRequest(request: HumanRequest): string;
  /**
   * Starts a run of another flow, which nobody waits for, and answers its id. A repeated step starts no second one; so
   * start a flow once in a step.
   */
  startRun(start: ChildStart & { failParentOnFailure: boolean }): Promise<string>;
}

/** What a step gives, for its author: one sentence, or one for each member when it gives an object. */
export type OutputDescription = string | Readonly<Record<string, string>>;

interface Described<P extends Props> {
  displayName: string;
  description: string;
  props: P;
  /** Every built-in trigger and action has one: `docs/pieces` is made of it. */
  output?: OutputDescription;
  /** What the props alone cannot say against an input, as the author wrote it: one sentence each. */
  problems?(input: Readonly<Record<string, unknown>>): string[];
}

export interface TriggerDefinition<P extends Props = Props> extends Described<P> {
  resultType: TriggerKind;
}

interface ActionTraits<A extends PieceAuth> {
  /** What the connection holds that the author must choose; that of its piece. Absent: it needs none. */
  auth?: A;
  /** It touches nothing outside its run, so it may be repeated without a trace. */
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
  version: string;
  auth: PieceAuth;
  triggers: Readonly<Record<string, TriggerDefinition>>;
  actions: Readonly<Record<string, ActionDefinition>>;
}

/** Fails an action and says when another attempt makes sense. Any other error fails it just as well. */
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

export const defineTrigger = <const P extends Props>(trigger: TriggerDefinition<P>): TriggerDefinition => trigger;

type TypedAction<P extends Props, A extends PieceAuth> = Described<P> &
  ActionTraits<A> & {
    /** What it returns, as JSON, is the output of the step; what it throws fails the step with its message. */
    run(context: ActionContext<InputOf<P>, AuthOf<A>>): Promise<unknown>;
    /** As `run`, once the wait that was returned has ended. Without it the ending is the output: a person's answer, or all of it. */
    resume?(context: ActionContext<InputOf<P>, AuthOf<A>>, ending: WaitEnding): Promise<unknown>;
  };

/** Its `run` is typed by its props and its auth here; a catalogue holds actions of all kinds. */
export const defineAction = <const P extends Props, const A extends PieceAuth = { kind: 'none' }>(
  action: TypedAction<P, A>,
): ActionDefinition => action as unknown as ActionDefinition;
