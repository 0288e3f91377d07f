import { startCompletion, type CompletionSource } from '@codemirror/autocomplete';
import { EditorSelection, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { completionsOf, type Variables } from '../code-editor/value-completions';
import { typedInToken } from './tokens';

/** Completes names in tokens: the steps before this one, and what is in their sample data. */
export const tokenCompletions =
  (variablesNow: () => Variables): CompletionSource =>
  ({ state, pos }) => {
    const typed = typedInToken(state.doc.toString(), pos);
    return typed === null ? null : completionsOf(variablesNow(), typed, pos);
  };

/** The second brace makes a whole token, with the caret in it, and offers what can stand there. */
export const closesTokens: Extension = EditorView.inputHandler.of((view, from, to, text) => {
  const { doc, readOnly } = view.state;
  if (readOnly || text !== '{' || from !== to || doc.sliceString(from - 1, from) !== '{') return false;
  if (doc.sliceString(from - 2, from - 1) === '{' || typedInToken(doc.sliceString(0, from - 1), from - 1) !== null)
    return false;
  view.dispatch({
    changes: { from, insert: '{  }}' },
    selection: EditorSelection.cursor(from + 2),
    userEvent: 'input.type',
  });
  startCompletion(view);
  return true;
});
