// Pieces as clients see them: what there is to choose from, and what to ask the author for.

export interface PropDescription {
  /** `text`, `number`, `dropdown` and so on. */
  kind: string;
  displayName: string;
  description?: string;
  required: boolean;
  defaultValue?: unknown;
  /** Not to be shown while it is typed. */
  isSecret?: boolean;
  /** Of a dropdown or a multi-select whose choices are always the same. */
  options?: readonly { label: string; value: unknown }[];
  /** Its choices, or the further props it stands for, are to be asked for, with the other inputs. */
  dependsOnOthers?: boolean;
}

export interface AuthDescription {
  kind: 'secretText' | 'basicAuth' | 'customAuth';
  displayName: string;
  description?: string;
  /** Of `customAuth`: what the connection holds. */
  props?: Readonly<Record<string, PropDescription>>;
}

export interface TriggerDescription {
  displayName: string;
  description: string;
  props: Readonly<Record<string, PropDescription>>;
}

export interface ActionDescription extends TriggerDescription {
  /** It takes the input `auth`: an expression that names a connection. */
  requiresAuth: boolean;
}

export interface PieceDescription {
  name: string;
  displayName: string;
  description: string;
  version: string;
  /** What a connection of this piece holds; null when it needs none. */
  auth: AuthDescription | null;
  triggers: Readonly<Record<string, TriggerDescription>>;
  actions: Readonly<Record<string, ActionDescription>>;
}
