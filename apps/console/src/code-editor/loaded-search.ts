import { Compartment, type Extension } from '@codemirror/state';
import { keymap, type EditorView } from '@codemirror/view';

const search = new Compartment();

/** Searching in the code. It is loaded when somebody searches for the first time. */
export const loadedSearch: Extension = search.of(keymap.of([{ key: 'Mod-f', preventDefault: true, run: load }]));

function load(view: EditorView): boolean {
  void import('./search').then(
    ({ codeSearch, openSearchPanel }) => {
      view.dispatch({ effects: search.reconfigure(codeSearch) });
      openSearchPanel(view);
    },
    () => undefined, // the key can be pressed again
  );
  return true;
}
