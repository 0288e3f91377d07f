/** The programs that read settings: the apps, and `npm start`, which launches them. */
export const READERS = ['api', 'webhook-gateway', 'worker', 'npm start'] as const;
export type Reader = (typeof READERS)[number];
export type App = Exclude<Reader, 'npm start'>;

/** How the text of a variable becomes a value. */
export interface SettingType<T> {
  /** What the value must be, as it follows "must be". Documents and errors say it. */
  readonly allowed: string;
  /** Returns null when the text is not allowed. Throws WrongValue when it can say more than `allowed` does. */
  readonly parse: (text: string) => T | null;
}

/** Thrown by a type. The message follows the name of the variable, and never repeats the value of a secret. */
export class WrongValue extends Error {}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable of the environment, and everything that the service and its documents say of it. */
export interface Setting {
  readonly type: SettingType<unknown>;
  /** A sentence without its end. It may have Markdown, with links relative to `docs`. */
  readonly meaning: string;
  readonly readBy: readonly Reader[];
  readonly unit?: string;
  /** The value when the variable is not set. Without a default the value is undefined then. */
  readonly default?: string | number | boolean | readonly string[];
  /** What happens without the variable, for documents, where the default alone does not say it. */
  readonly whenUnset?: string;
  /** The apps that read it do not start without it. */
  readonly isRequired?: true;
  /** Says whether it is required, from the other variables. */
  readonly requiredWhen?: (given: Environment) => boolean;
  /** The value must not be shown. */
  readonly isSecret?: true;
}

export type SettingName = `SVC_${string}`;
export type Settings = Readonly<Record<SettingName, Setting>>;

/** The settings of one subject, under which documents list them. */
export interface SettingGroup {
  readonly title: string;
  /** A paragraph that precedes the table. */
  readonly about?: string;
  readonly settings: Settings;
}

/** The type of the value of a setting. */
export type ValueOf<S extends Setting> =
  S['type'] extends SettingType<infer T>
    ? S extends { isRequired: true } | { default: unknown }
      ? T
      : T | undefined
    : never;
