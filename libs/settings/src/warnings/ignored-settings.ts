import { SETTINGS } from '../schema/schema';
import type { Environment, Reader, Setting, Settings } from '../value-types/setting';
import { meantNames } from './meant-names';

/**
 * A sentence for each `SVC_*` variable that none of these programs reads: it is misspelt, meant for another version, or
 * for another program.
 */
export function ignoredSettings(
  readers: readonly Reader[],
  environment: Environment,
  known: Settings = SETTINGS,
): string[] {
  return Object.entries(environment)
    .filter(([name, value]) => name.startsWith('SVC_') && value !== '')
    .flatMap(([name]) => {
      const setting = (known as Readonly<Record<string, Setting>>)[name];
      if (!setting) return [unknown(name, Object.keys(known))];
      if (readers.some((reader) => setting.readBy.includes(reader))) return [];
      return [
        `${name} is ignored here: only ${list(setting.readBy)} read${setting.readBy.length === 1 ? 's' : ''} it.`,
      ];
    });
}

function unknown(name: string, known: readonly string[]): string {
  const meant = meantNames(name, known);
  const hint = meant.length === 0 ? '' : ` Did you mean ${listed(meant, 'or')}?`;
  return `${name} is not a setting that this version reads; it is ignored.${hint}`;
}

function list(readers: readonly Reader[]): string {
  const names = readers.map((reader) => (reader === 'npm start' ? '`npm start`' : `the ${reader}`));
  return listed(names, 'and');
}

function listed(names: readonly string[], conjunction: 'and' | 'or'): string {
  if (names.length === 1) return String(names[0]);
  return `${names.slice(0, -1).join(', ')} ${conjunction} ${names.at(-1)}`;
}
