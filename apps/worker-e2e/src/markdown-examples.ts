// Reads the examples of a Markdown document. An example is a comment that names its kind, and the JSON block or the
// table below it; the comment is not seen where the document is read.
//
//   <!-- flow: {"payload": {"n": 2}, "outputs": {"double": 4}} -->
//   ```json
//   { "displayName": "Doubler", … }
//   ```

export interface MarkdownExample {
  kind: string;
  /** What the comment says after its kind; empty when it says nothing. */
  options: Readonly<Record<string, unknown>>;
  /** The heading it stands under. */
  heading: string;
  line: number;
  /** The JSON block below the comment, parsed; undefined when there is none. */
  json?: unknown;
  /** The rows of the table below the comment, without its head: the text of each cell. */
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

/** Commands for the shell, and what stands right below them: what they print. */
export interface ShellExample {
  heading: string;
  line: number;
  commands: string;
  /** Null when nothing is shown: then they print nothing. */
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

/** The heading that a place stands under, and its line. */
function placeOf(markdown: string, index: number): { heading: string; line: number } {
  const before = markdown.slice(0, index);
  return { heading: [...before.matchAll(/^#+ (.*)$/gm)].at(-1)?.[1] ?? '', line: before.split('\n').length };
}

export const jsonBlocksIn = (markdown: string): number => [...markdown.matchAll(/^```json$/gm)].length;

/** The text of each code span of a cell. */
export const codeSpansIn = (cell: string): string[] => Array.from(cell.matchAll(CODE_SPAN), ([, code = '']) => code);

/** The rows of the first table under a heading, without its head. */
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
