import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN_PIECES } from '../built-in-pieces';
import { defineAction } from '../framework/piece';
import { choicesOf, type Props } from '../framework/props';
import { aPiece } from '../testing/a-piece-host';
import { piecePage, piecePages } from './piece-pages';

const FOLDER = join(__dirname, '../../../../docs/pieces');

describe('docs/pieces', () => {
  it('says what the definitions of the pieces say (else: npm run docs)', async () => {
    const files = readdirSync(FOLDER).map((file) => [file, readFileSync(join(FOLDER, file), 'utf8')]);
    expect(Object.fromEntries(files)).toEqual(await piecePages());
  });

  it.each(
    BUILT_IN_PIECES.flatMap(({ name, triggers, actions }) =>
      Object.entries({ ...triggers, ...actions }).map(([entry, { output }]) => [name, entry, output] as const),
    ),
  )('has the output of %s %s', (_piece, _entry, output) => expect(output).toBeDefined());
});

describe('the page of a piece', () => {
  const FURTHER: Readonly<Record<string, Props>> = {
    post: { stamp: { kind: 'text', displayName: 'Stamp', required: true } },
  };
  const send = defineAction({
    displayName: 'Send',
    description: 'Sends it.',
    output: { id: 'Its id.' },
    props: {
      way: { kind: 'dropdown', displayName: 'Way', required: true, options: choicesOf('mail', 'post') },
      more: {
        kind: 'dynamic',
        displayName: 'More',
        required: false,
        props: ({ way }) => FURTHER[String(way)] ?? {},
      },
      pattern: { kind: 'text', displayName: 'Pattern', description: 'As a|b.', required: false, defaultValue: 'x' },
    },
    run: async () => ({ id: 1 }),
  });

  it('has a row for each input, also for those that a choice brings, and for each member of the output', async () => {
    const lines = (await piecePage(aPiece({ send }))).split('\n').map((line) => line.replace(/ +/g, ' '));

    expect(lines).toEqual(
      expect.arrayContaining([
        '## Action `send`',
        '| `way` | dropdown: `mail`, `post` | yes | | Way. |',
        '| `more.stamp` | text | yes | | Stamp. When `way` is `post`. |',
        '| `pattern` | text | no | `"x"` | Pattern. As a\\|b. |',
        '| `id` | Its id. |',
      ]),
    );
  });

  it('names the type of its connection as the API does', async () => {
    const page = await piecePage(aPiece({}, { auth: { kind: 'secretText', displayName: 'Key' } }));

    expect(page).toContain('a connection as the input `auth`: **Key**, of the type `SECRET_TEXT`.');
  });
});
