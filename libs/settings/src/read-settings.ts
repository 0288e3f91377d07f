import { WrongSettingError } from '@millrace/domain';
import { SETTINGS, type KnownSetting, type SettingOf, type SettingsOf, type ValuesOf } from './schema/schema';
import { WrongValue, type App, type Environment, type Setting, type Settings } from './value-types/setting';

/** Thrown when variables are missing or wrong. The message has a line for each, with what is allowed. */
export class SettingsError extends WrongSettingError {}

/** The names of the settings that the app reads. */
export const settingsReadBy = <A extends App>(app: A): SettingOf<A>[] =>
  Object.entries(SETTINGS as Settings).flatMap(([name, { readBy }]) =>
    readBy.includes(app) ? [name as SettingOf<A>] : [],
  );

/** Reads the settings of an app. Throws SettingsError. */
export const readSettings = <A extends App>(app: A, environment: Environment): SettingsOf<A> =>
  readSome(settingsReadBy(app), environment);

/** Reads these settings. An empty variable counts as not set. Throws SettingsError when one is missing or wrong. */
export function readSome<Name extends KnownSetting>(names: readonly Name[], environment: Environment): ValuesOf<Name> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const problems: string[] = [];
  const values = names.map((name) => {
    const read = readOne(name, SETTINGS[name], given);
    if ('problem' in read) problems.push(read.problem);
    return [name, 'value' in read ? read.value : undefined];
  });
  if (problems.length > 0) throw new SettingsError(problems.join('\n'));
  return Object.fromEntries(values) as ValuesOf<Name>;
}

/** Reads one setting, or describes what is wrong without its value, which may be a secret. */
function readOne(name: string, setting: Setting, given: Environment): { value: unknown } | { problem: string } {
  const { type, default: byDefault, isRequired, requiredWhen } = setting;
  const purpose = `(${plain(setting.meaning)})`;
  const allowed = `it must be ${plain(type.allowed)}`;
  const text = given[name];
  if (text === undefined)
    return (isRequired ?? requiredWhen?.(given))
      ? { problem: `${name} is not set ${purpose}: ${allowed}.` }
      : { value: byDefault };
  try {
    const value = type.parse(text);
    return value === null ? { problem: `${name} is wrong ${purpose}: ${allowed}.` } : { value };
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    return { problem: `${name} is wrong ${purpose}: it ${error.message}.` };
  }
}

const plain = (markdown: string): string => markdown.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '');
