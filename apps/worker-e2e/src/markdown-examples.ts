// Reads the examples of a Markdown document. An example is a comment that names its kind, followed by a JSON block or a
// table. Readers of the rendered document do not see the comment.
//
//   <!-- flow: {"payload": {"n": 2}, "outputs": {"double": 4}} -->
//   ```json
//   { "displayName": "Doubler", … }
//   ```

export interface MarkdownExample {
  kind: string;
  /** The options after the kind in the comment; empty when there are none. */
  options: Readonly<Record<string, unknown>>;
  /** The heading above the example. */
  heading: string;
  line: number;
  /** The JSON block below the comment, parsed; undefined when there is no block. */
  json?: unknown;
  /** The text of each cell of the table below the comment, without the table's head. */
  rows: readonly (readonly string[])[];
}

const MARK = /^<!-- ([a-z]+)(?:: (\{[\s\S]*?\}))? -->\n+((?:```json\n[\s\S]*?^```$)|(?:^\|.*\n)+)/gm;
const CODE_SPAN = /`([^`]+)`/g;

export function examplesIn(markdown: string): MarkdownExample[] {
  return Array.from(markdown.matchAll(MARK), ({ 1: kind = '', 2: options = '{}', 3: below = '', index }) => {
    const isBlock = below.startsWith('```');
    return {
      kind,
      options: JSON.parse(options) as Record<string, unknown>,
      ...placeOf(markdown, index),
      ...(isBlock && { json: JSON.parse(below.replace(/^```.*$/gm, '')) as unknown }),
      rows: isBlock ? [] : rowsOf(below),
    };
  });
}

/** Commands for the shell, with the output that the page shows below them. */
export interface ShellExample {
  heading: string;
  line: number;
  commands: string;
  /** What the commands print; null when the page shows nothing, because they print nothing. */
  prints: { kind: 'json' | 'text'; text: string } | null;
}

const SHELL_BLOCK = /^```sh\n([\s\S]*?)^```\n(?:\n```(json|text)\n([\s\S]*?)^```$)?/gm;

export function shellExamplesIn(markdown: string): ShellExample[] {
  return Array.from(markdown.matchAll(SHELL_BLOCK), ({ 1: commands = '', 2: kind, 3: text = '', index }) => ({
    ...placeOf(markdown, index),
    commands,
    prints: kind === 'json' || kind === 'text' ? { kind, text } : null,
  }));
}

/** Returns the heading above a place, and the line of the place. */
function placeOf(markdown: string, index: number): { heading: string; line: number } {
  const before = markdown.slice(0, index);
  return { heading: [...before.matchAll(/^#+ (.*)$/gm)].at(-1)?.[1] ?? '', line: before.split('\n').length };
}

export const jsonBlocksIn = (markdown: string): number => [...markdown.matchAll(/^```json$/gm)].length;

/** Returns the text of each code span of a cell. */
export const codeSpansIn = (cell: string): string[] => Array.from(cell.matchAll(CODE_SPAN), ([, code = '']) => code);

/** Returns the rows of the first table under a heading, without its head. */
export function tableUnder(markdown: string, heading: string): string[][] {
  const section = markdown.split(/^(?=#+ )/m).find((part) => part.replace(/^#+ /, '').startsWith(`${heading}\n`)) ?? '';
  return rowsOf(/(?:^\|.*\n)+/m.exec(section)?.[0] ?? '');
}

function rowsOf(table: string): string[][] {
  const [, , ...lines] = table.trim().split('\n');
  return lines.map((line) =>
    line
      .trim()
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.replaceAll('\\|', '|').trim()),
  );
}
