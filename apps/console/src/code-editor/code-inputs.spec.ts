import { javascript } from '@codemirror/lang-javascript';
import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { codeInputs } from './code-inputs';

const PATIENCE_MS = 60_000;

function inputsOf(doc: string) {
  const state = EditorState.create({ doc, extensions: javascript({ typescript: true }) });
  const tree = ensureSyntaxTree(state, doc.length, PATIENCE_MS);
  return tree && codeInputs(state, tree);
}

describe('codeInputs', () => {
  it.each([
    'export const code = async (inputs) => inputs.',
    'export const code = inputs => 1',
    'export async function code(inputs: Inputs) { inputs. }',
    'const x = 1;\nexport const other = (y) => y;\nexport const code = (inputs: any) => {\n  inputs.\n};',
  ])('finds the name of the whole input in %j', (doc) => {
    expect(inputsOf(doc)).toEqual({ kind: 'whole', name: 'inputs' });
  });

  it('finds the members that are taken out of the input, by the names that they get', () => {
    const found = inputsOf('export const code = async ({ lines, price: cost, n = 2, ...rest }: Inputs) => lines.');
    expect(found).toMatchObject({ kind: 'members' });
    expect(found?.kind === 'members' && [...found.nameByKey]).toEqual([
      ['lines', 'lines'],
      ['price', 'cost'],
      ['n', 'n'],
    ]);
  });

  it.each(['', 'export const code = () => 1;', 'const code = (inputs) => inputs;', 'export const x = 1'])(
    'finds nothing in %j',
    (doc) => {
      expect(inputsOf(doc)).toBeNull();
    },
  );
});
