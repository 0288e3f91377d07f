import type { TriggerKind } from '../trigger-kind';

// Pieces as clients see them: the triggers and actions that an author can choose, and the inputs to ask for.

export interface PropDescription {
  /** `text`, `number`, `dropdown` and so on. */
  kind: string;
  displayName: string;
  description?: string;
  required: boolean;
  defaultValue?: unknown;
  /** True when a client must hide the value while a person types it. */
  isSecret?: boolean;
  /** The choices of a dropdown or a multi-select, when they are always the same. */
  options?: readonly { label: string; value: unknown }[];
  /** True when these are only the first options of very many. Then any value is taken. */
  hasMoreOptions?: boolean;
  /**
   * True when its choices, or the further props that it stands for, depend on the other inputs and must be requested.
   */
  dependsOnOthers?: boolean;
  /** The members of an object, when it always has the same. Of a list, those of each of its items. */
  members?: Readonly<Record<string, PropDescription>>;
  /** The members of an object, for each value of another input that decides which it has. */
  membersBy?: MembersByChoice;
}

export interface MembersByChoice {
  /** The name of the input that decides. */
  input: string;
  members: Readonly<Record<string, Readonly<Record<string, PropDescription>>>>;
}

export interface AuthDescription {
  kind: 'secretText' | 'basicAuth' | 'customAuth';
  displayName: string;
  description?: string;
  /** The members of the connection's value; only with `customAuth`. */
  props?: Readonly<Record<string, PropDescription>>;
  /** Present when people can sign in to the provider of the piece instead. */
  signIn?: SignInDescription;
}

export interface SignInDescription {
  /** What the piece asks for before a person signs in, such as the name of a shop. */
  props: Readonly<Record<string, PropDescription>>;
  /** Whether an administrator has stored an app, so that nobody needs a client of his own. Only the api tells it. */
  hasApp?: boolean;
}

export interface TriggerDescription {
  displayName: string;
  description: string;
  props: Readonly<Record<string, PropDescription>>;
  /** What runs say of how they were started. */
  triggerType: TriggerKind;
}

export interface ActionDescription extends Omit<TriggerDescription, 'triggerType'> {
  /** True when the action needs the input `auth`, an expression that names a connection. */
  requiresAuth: boolean;
}

/** What pieces are for, so that a palette can group them. */
export const PIECE_CATEGORIES = ['NETWORK', 'TIME', 'FLOW', 'DATA', 'PEOPLE', 'COMMUNICATION', 'APPS'] as const;
export type PieceCategory = (typeof PIECE_CATEGORIES)[number];

export interface PieceDescription {
  name: string;
  displayName: string;
  description: string;
  category: PieceCategory;
  /** Other words for what the piece does, in small letters, by which people look for it. */
  keywords: readonly string[];
  version: string;
  /** The connection that this piece needs; null when it needs none. */
  auth: AuthDescription | null;
  triggers: Readonly<Record<string, TriggerDescription>>;
  actions: Readonly<Record<string, ActionDescription>>;
}
