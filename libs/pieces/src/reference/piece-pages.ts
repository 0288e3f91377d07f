import type { ConnectionType } from '@millrace/domain';
import { BUILT_IN_PIECES } from '../built-in-pieces';
import type { PieceAuth } from '../framework/auth';
import type { ActionDefinition, OutputDescription, PieceDefinition, TriggerDefinition } from '../framework/piece';
import type { Choice, OptionsContext, Prop, Props } from '../framework/props';

// Makes the page of a piece in docs/pieces from its definition.

const MADE = '<!-- `npm run docs` makes this page from the definition of the piece. Edit the definition. -->';

/** The files of docs/pieces, as content by file name. */
export async function piecePages(): Promise<Record<string, string>> {
  const pages = BUILT_IN_PIECES.map(async (piece) => [`${piece.name}.md`, await piecePage(piece)] as const);
  return { 'README.md': piecesPage(BUILT_IN_PIECES), ...Object.fromEntries(await Promise.all(pages)) };
}

/** The page of a piece as Markdown. A `dynamic` input is listed with its props for each choice of the other inputs. */
export async function piecePage(piece: PieceDefinition): Promise<string> {
  const triggers = await sectionsOf('Trigger', piece.triggers);
  const actions = await sectionsOf('Action', piece.actions);
  const about = wrapped(`\`${piece.name}\`, version ${piece.version}. ${piece.description}`);
  const head = [`# ${piece.displayName}`, MADE, about];
  return `${[...head, ...connectionOf(piece.auth), ...triggers, ...actions].join('\n\n')}\n`;
}

/** The page that links to the pages of all pieces. */
function piecesPage(pieces: readonly PieceDefinition[]): string {
  const codes = (names: readonly string[]): string => names.map(code).join(', ');
  const rows = pieces.map(({ name, description, triggers, actions }) => [
    `[\`${name}\`](${name}.md)`,
    description,
    codes(Object.keys(triggers)),
    codes(Object.keys(actions)),
  ]);
  const head = [
    '# The built-in pieces',
    MADE,
    'The inputs and outputs of each piece. A step names it as `settings.pieceName`.',
  ];
  return `${[...head, table(['Piece', 'What it is for', 'Triggers', 'Actions'], rows)].join('\n\n')}\n`;
}

type Entry = TriggerDefinition | ActionDefinition;

async function sectionsOf(kind: 'Trigger' | 'Action', entries: Readonly<Record<string, Entry>>): Promise<string[]> {
  const sections = Object.entries(entries).map(async ([name, entry]) => [
    `## ${kind} \`${name}\``,
    wrapped(`**${entry.displayName}.** ${entry.description}`),
    await inputsOf(entry),
    ...outputOf(entry.output),
  ]);
  return (await Promise.all(sections)).flat();
}

/** The type that a connection has in the API, by the kind that a piece declares. */
const CONNECTION_TYPE_OF: Readonly<Record<Exclude<PieceAuth['kind'], 'none'>, ConnectionType>> = {
  secretText: 'SECRET_TEXT',
  basicAuth: 'BASIC_AUTH',
  customAuth: 'CUSTOM_AUTH',
};

function connectionOf(auth: PieceAuth): string[] {
  if (auth.kind === 'none') return [];
  const type = CONNECTION_TYPE_OF[auth.kind];
  const what = `Its actions take a connection as the input \`auth\`: **${auth.displayName}**, of the type \`${type}\`.`;
  const sentence = wrapped([what, auth.description].filter(Boolean).join(' '));
  return auth.kind === 'customAuth' ? [sentence, table(INPUT_HEAD, rowsOf(auth.props))] : [sentence];
}

const INPUT_HEAD = ['Input', 'Kind', 'Required', 'Default', 'What it is'];

async function inputsOf(entry: Entry): Promise<string> {
  const needsAuth = 'auth' in entry && entry.auth !== undefined && entry.auth.kind !== 'none';
  const auth = needsAuth ? [[code('auth'), 'connection', 'yes', '', "`{{ connections['…'] }}`"]] : [];
  const rows = [...auth, ...rowsOf(entry.props), ...(await furtherRowsOf(entry.props))];
  return rows.length === 0 ? 'It takes no input.' : table(INPUT_HEAD, rows);
}

const rowsOf = (props: Props, prefix = '', when = ''): string[][] =>
  Object.entries(props).map(([name, prop]) => rowOf(`${prefix}${name}`, prop, when));

function rowOf(name: string, prop: Prop, when: string): string[] {
  const { defaultValue, description, displayName, required } = prop;
  const shown = defaultValue === undefined ? '' : code(JSON.stringify(defaultValue));
  const meaning = [`${displayName}.`, description, when].filter(Boolean).join(' ');
  return [code(name), kindOf(prop), required ? 'yes' : 'no', shown, meaning];
}

function kindOf(prop: Prop): string {
  if (!('options' in prop)) return prop.kind;
  if (typeof prop.options === 'function') return `${prop.kind}, asked for`;
  return `${prop.kind}: ${prop.options.map(({ value }) => code(String(value))).join(', ')}`;
}

/** The rows for the members of `dynamic` inputs, which are always the same or depend on the choice of another input. */
async function furtherRowsOf(props: Props): Promise<string[][]> {
  const dynamic = Object.entries(props).filter(([, prop]) => prop.kind === 'dynamic');
  const rows = dynamic.map(async ([name, prop]) => {
    const always = await membersOf(prop, {});
    if (Object.keys(always).length > 0) return rowsOf(always, `${name}.`);
    return (await Promise.all(choicesIn(props).map((choice) => rowsWhen(name, prop, choice)))).flat();
  });
  return [...knownMemberRows(props), ...(await Promise.all(rows)).flat()];
}

/** The rows for the members of objects, and of the objects in lists. A member that several choices share has one row. */
function knownMemberRows(props: Props): string[][] {
  return Object.entries(props).flatMap(([name, prop]) => {
    if (prop.kind === 'array') return rowsOf(prop.members ?? {}, `${name}[].`);
    if (prop.kind !== 'object') return [];
    const always = rowsOf(prop.members ?? {}, `${name}.`);
    return prop.membersBy ? [...always, ...rowsByChoice(`${name}.`, prop.membersBy)] : always;
  });
}

function rowsByChoice(prefix: string, { input, members }: { input: string; members: Readonly<Record<string, Props>> }) {
  const choicesOf = new Map<Prop, { member: string; choices: string[] }>();
  for (const [choice, ofChoice] of Object.entries(members))
    for (const [member, prop] of Object.entries(ofChoice)) {
      const known = choicesOf.get(prop);
      if (known) known.choices.push(code(choice));
      else choicesOf.set(prop, { member, choices: [code(choice)] });
    }
  return [...choicesOf].map(([prop, { member, choices }]) =>
    rowOf(`${prefix}${member}`, prop, `When \`${input}\` is ${anyOf(choices)}.`),
  );
}

const anyOf = (choices: readonly string[]): string =>
  [choices.slice(0, -1).join(', '), choices.at(-1)].filter(Boolean).join(' or ');

async function rowsWhen(name: string, prop: Prop, { input, value }: ChosenInput): Promise<string[][]> {
  const members = await membersOf(prop, { [input]: value });
  return rowsOf(members, `${name}.`, `When \`${input}\` is \`${String(value)}\`.`);
}

interface ChosenInput extends Choice {
  input: string;
}

const choicesIn = (props: Props): ChosenInput[] =>
  Object.entries(props).flatMap(([input, prop]) =>
    prop.kind === 'dropdown' && typeof prop.options !== 'function'
      ? prop.options.map((choice) => ({ ...choice, input }))
      : [],
  );

/** The props of a `dynamic` input. Those of built-in pieces depend on other inputs only, so they need no context. */
async function membersOf(prop: Prop, input: Readonly<Record<string, unknown>>): Promise<Props> {
  return prop.kind === 'dynamic' ? prop.props(input, undefined as unknown as OptionsContext) : {};
}

function outputOf(output: OutputDescription | undefined): string[] {
  if (output === undefined) return [];
  if (typeof output === 'string') return [wrapped(`Output: ${output}`)];
  const rows = Object.entries(output).map(([name, meaning]) => [code(name), meaning]);
  return [table(['Output', 'What it is'], rows)];
}

const code = (text: string): string => `\`${text}\``;

const LINE_WIDTH = 100;

/** A paragraph in lines of at most 100 characters, as oxfmt wraps it. A line never breaks inside of code. */
function wrapped(paragraph: string): string {
  const words = paragraph.match(/(?:`[^`]*`|[^\s`])+/g) ?? [];
  return words.reduce((text, word) => {
    const lastLine = text.slice(text.lastIndexOf('\n') + 1);
    return `${text}${lastLine.length + 1 + word.length > LINE_WIDTH ? '\n' : ' '}${word}`;
  });
}

/** A Markdown table whose columns are as wide as their widest cell, in the style of oxfmt. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => [...(row[column] ?? '')].length)));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => row[column] + ' '.repeat(width - [...(row[column] ?? '')].length)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const [first = [], ...others] = cells;
  return [line(first), rule, ...others.map(line)].join('\n');
}
