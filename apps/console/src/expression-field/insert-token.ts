import { ensureSyntaxTree, language, syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { DRAGGED_PATH } from '../json-view/dragged-path';
import { pathText, type Path } from '../json-view/json-nodes';
import { typedInToken } from './tokens';

/** Puts a token into the text, where the caret is unless said otherwise; inside of a token only the path. */
export function insertToken(view: EditorView, path: Path, at?: number): void {
  if (view.state.readOnly) return;
  const { from, to } = at === undefined ? view.state.selection.main : { from: at, to: at };
  const insert = tokenFor(view.state, path, from);
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + insert.length },
    userEvent: 'input.paste',
    scrollIntoView: true,
  });
  view.focus();
}

/** The text of a token at a place. In JSON it is part of a text, or a text of its own. */
export function tokenFor(state: EditorState, path: Path, at: number): string {
  const source = pathText(path);
  const token = typedInToken(state.doc.toString(), at) === null ? `{{ ${source} }}` : source;
  if (state.facet(language)?.name !== 'json') return token;
  const text = JSON.stringify(token);
  return isInText(state, at) ? text.slice(1, -1) : text;
}

/** A click waits as long as this for the text to be parsed. */
const MOST_PARSING_MS = 1_000;

function isInText(state: EditorState, at: number): boolean {
  const tree = ensureSyntaxTree(state, at, MOST_PARSING_MS) ?? syntaxTree(state);
  const { name, from, to } = tree.resolveInner(at, -1);
  return /String|PropertyName/.test(name) && from < at && at < to;
}

/** Takes a path that is dropped onto the text. */
export const takesPaths = EditorView.domEventHandlers({
  drop(event, view) {
    const dropped = event.dataTransfer?.getData(DRAGGED_PATH);
    const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
    if (!dropped || at === null) return false;
    event.preventDefault();
    insertToken(view, JSON.parse(dropped) as Path, at);
    return true;
  },
});
