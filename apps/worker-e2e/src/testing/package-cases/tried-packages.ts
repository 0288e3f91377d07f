import { PACKAGE_CASES } from '../package-cases';
import { SLACK_MESSAGE } from './app-event-cases';
import { BUILT } from './built-packages';
import { CHOICE_CASES } from './choice-cases';
import { DATABASES } from './databases';
import { POLL_CASES } from './poll-cases';
import { WAIT_CASES } from './wait-cases';
import { WEBHOOK_CASES } from './webhook-cases';

/** A row of the table of the guide: the package, its version, its actions, its triggers and what it was asked for. */
type Row = readonly string[];

const HEAD = '| Package';

interface Tried {
  readonly piece: string;
  readonly version: string;
  readonly actions?: readonly string[];
  readonly triggers?: readonly string[];
  readonly asked?: readonly string[];
}

const code = (name: string): string => `\`${name}\``;

const TRIED: readonly Tried[] = [
  ...PACKAGE_CASES.map(({ action, ...each }) => ({ ...each, actions: [code(action)] })),
  ...[...Object.values(DATABASES), ...Object.values(BUILT)].map(({ actions, ...each }) => ({
    ...each,
    actions: actions.map(code),
  })),
  ...POLL_CASES.map(({ trigger, ...each }) => ({ ...each, triggers: [`${code(trigger)} (poll)`] })),
  ...WEBHOOK_CASES.map(({ trigger, ...each }) => ({ ...each, triggers: [`${code(trigger)} (webhook)`] })),
  ...[SLACK_MESSAGE].map(({ trigger, ...each }) => ({ ...each, triggers: [`${code(trigger)} (app event)`] })),
  ...Object.values(WAIT_CASES).map(({ action, ...each }) => ({ ...each, actions: [`${code(action)} (wait)`] })),
  ...CHOICE_CASES.map(({ check, choices, ...each }) => ({
    ...each,
    asked: [code(choices.propName), ...(check ? ['connection'] : [])],
  })),
];

/** What the suites try of packages, as rows of the guide. */
export const TRIED_ROWS: readonly Row[] = [...new Set(TRIED.map(({ piece }) => piece))].sort().map((piece) => {
  const all = TRIED.filter((each) => each.piece === piece);
  const listed = (names: (each: Tried) => readonly string[] | undefined): string =>
    [...new Set(all.flatMap((each) => names(each) ?? []))].join(', ');
  return [
    code(`@activepieces/piece-${piece}`),
    [...new Set(all.map(({ version }) => version))].join(', '),
    ...[listed((each) => each.actions), listed((each) => each.triggers), listed((each) => each.asked)],
  ];
});

/** The rows of the table in the guide. */
export function rowsIn(guide: string): readonly Row[] {
  const lines = guide.slice(guide.lastIndexOf(HEAD)).split('\n');
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
