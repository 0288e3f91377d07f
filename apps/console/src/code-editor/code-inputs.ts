import type { EditorState } from '@codemirror/state';
import type { SyntaxNode, Tree } from '@lezer/common';

/** Under which names the code reads its input, by the parameter of the function `code` that it exports. */
export type CodeInputs =
  /** `code(inputs)`: the whole input under one name. */
  | { kind: 'whole'; name: string }
  /** `code({ lines, price: cost })`: members under names of their own, which stand between `from` and `to`. */
  | { kind: 'members'; nameByKey: ReadonlyMap<string, string>; from: number; to: number };

/** Returns null when the code has no such function, or none with a parameter. */
export function codeInputs(state: EditorState, tree: Tree): CodeInputs | null {
  const text = (node: SyntaxNode) => state.sliceDoc(node.from, node.to);
  const parameter = parameterOf(tree.topNode, text);
  if (parameter?.name === 'VariableDefinition') return { kind: 'whole', name: text(parameter) };
  if (parameter?.name !== 'ObjectPattern') return null;
  const pairs = parameter.getChildren('PatternProperty').flatMap((property): [string, string][] => {
    const name = property.getChild('VariableDefinition');
    const key = property.getChild('PropertyName') ?? name;
    return name && key && !property.getChild('Spread') ? [[text(key), text(name)]] : [];
  });
  return { kind: 'members', nameByKey: new Map(pairs), from: parameter.from, to: parameter.to };
}

type TextOf = (node: SyntaxNode) => string;

function parameterOf(program: SyntaxNode, text: TextOf): SyntaxNode | null {
  for (let child = program.firstChild; child; child = child.nextSibling) {
    const code = child.name === 'ExportDeclaration' ? codeFunction(child, text) : null;
    const parameters = code?.getChild('ParamList');
    if (code) return parameters?.getChild('VariableDefinition') ?? parameters?.getChild('ObjectPattern') ?? null;
  }
  return null;
}

/** The function in `export const code = …` or `export function code`. */
function codeFunction(declaration: SyntaxNode, text: TextOf): SyntaxNode | null {
  const inner = declaration.getChild('VariableDeclaration') ?? declaration.getChild('FunctionDeclaration');
  const name = inner?.getChild('VariableDefinition');
  if (!inner || !name || text(name) !== 'code') return null;
  return inner.name === 'FunctionDeclaration'
    ? inner
    : (inner.getChild('ArrowFunction') ?? inner.getChild('FunctionExpression'));
}
