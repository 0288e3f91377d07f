import { SETTING_GROUPS } from '../schema/schema';
import type { Setting, SettingGroup } from '../value-types/setting';

// Makes docs/configuration.md from the schema.

const HEAD = `# Configuration

<!-- \`npm run docs\` makes this page from libs/settings. Edit the schema there. -->

Environment variables, read once at the start of each process. A variable set to nothing counts as not set. A wrong
value stops the start, with exit code 78, and the message names the variable and what is allowed. In place of \`true\` also
\`yes\`, \`on\` and \`1\` count, in place of \`false\` also \`no\`, \`off\` and \`0\`, in capitals too.

An \`SVC_*\` variable that no app reads is a warning, with the name that was probably meant; so is one that only other
apps read. Under \`npm start\` all apps share one environment: each app gets from it what it reads, and the launcher warns
of what none of them does.

\`npm start\` makes the keys and tokens itself, once, and keeps them in \`credentials.json\` in the data directory (mode
600). Settings marked as secret are never written to a log.
`;

/** The page as Markdown. Its tables are not aligned yet. */
export const configurationPage = (): string => [HEAD, ...SETTING_GROUPS.map(section)].join('\n');

function section({ title, about, settings }: SettingGroup): string {
  const rows = Object.entries(settings).map(([name, setting]) => rowOf(name, setting));
  const table = [['Setting', 'Value', 'Default', 'Read by', 'Meaning'], ['-', '-', '-', '-', '-'], ...rows];
  const lines = table.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
  return [`## ${title}`, ...(about ? [about] : []), lines.join('\n'), ''].join('\n\n');
}

const rowOf = (name: string, setting: Setting): string[] => [
  `\`${name}\``,
  valueOf(setting),
  setting.whenUnset ?? defaultOf(setting.default),
  setting.readBy.map((reader) => (reader === 'npm start' ? '`npm start`' : reader)).join(', '),
  setting.meaning,
];

const valueOf = ({ type, unit, isSecret }: Setting): string =>
  `${type.allowed.replace(/^an? /, '')}${unit ? ` (${unit})` : ''}${isSecret ? '; secret' : ''}`;

function defaultOf(value: Setting['default'] = ''): string {
  const words = typeof value === 'object' ? value.join(', ') : String(value);
  return words === '' ? 'none' : `\`${words}\``;
}
