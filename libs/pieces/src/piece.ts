import type { TriggerResultType } from '@millrace/domain';

// What a piece is: a name for a system out there, with triggers and actions and the inputs they take. Built-in pieces
// and installed packages have this one shape.

/** The kinds of value an author can be asked for. */
interface InputValues {
  text: string;
  number: number;
  boolean: boolean;
  select: string;
  list: unknown[];
  object: Record<string, unknown>;
  any: unknown;
}

export interface Prop<Kind extends keyof InputValues = keyof InputValues, Required extends boolean = boolean> {
  kind: Kind;
  displayName: string;
  description?: string;
  required: Required;
  /** For `select`: the values there are. */
  options?: readonly string[];
}

export type Props = Readonly<Record<string, Prop>>;

/** The input an action's code gets, as its props say. */
export type InputOf<P extends Props> = {
  [Name in keyof P]: P[Name] extends Prop<infer Kind, true>
    ? InputValues[Kind]
    : P[Name] extends Prop<infer Kind>
      ? InputValues[Kind] | undefined
      : never;
};

export interface ActionContext<Input> {
  input: Input;
  /** `stepKey` is the same when a step is repeated after a crash: outbound requests send it as Idempotency-Key. */
  run: { id: string; flowId: string; projectId: string; stepKey: string };
  signal: AbortSignal;
}

interface Described<P extends Props> {
  displayName: string;
  description: string;
  props: P;
  /** What the props alone cannot say against an input: one sentence each. */
  problems?(input: Readonly<Record<string, unknown>>): string[];
}

export interface TriggerDefinition<P extends Props = Props> extends Described<P> {
  resultType: TriggerResultType;
}

export interface ActionDefinition<P extends Props = Props> extends Described<P> {
  run(context: ActionContext<InputOf<P>>): Promise<unknown>;
}

export interface PieceDefinition {
  name: string;
  displayName: string;
  description: string;
  version: string;
  /** What a connection of this piece holds; absent when it needs none. */
  auth?: { kind: 'secret_text' | 'basic' | 'oauth2' | 'custom'; props?: Props };
  triggers: Readonly<Record<string, TriggerDefinition>>;
  actions: Readonly<Record<string, ActionDefinition>>;
}

export const definePiece = (piece: PieceDefinition): PieceDefinition => piece;

export const defineTrigger = <P extends Props>(trigger: TriggerDefinition<P>): TriggerDefinition<P> => trigger;

/** Its `run` is typed by its props here; a catalogue holds actions of all kinds. */
export const defineAction = <const P extends Props>(action: ActionDefinition<P>): ActionDefinition =>
  action as unknown as ActionDefinition;
