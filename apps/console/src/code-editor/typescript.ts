import { autocompletion, closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript, javascriptLanguage, typescriptLanguage } from '@codemirror/lang-javascript';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import { highlightSpecialChars, keymap, lineNumbers, rectangularSelection } from '@codemirror/view';
import { globalCompletions, inputCompletions } from './code-completions';
import { loadedSearch } from './loaded-search';
import { tabKey } from './tab-key';
import type { Variables } from './value-completions';
import { words } from './words';

/** What the field for TypeScript can do. `inputsNow` gives the input of the step as far as it is known. */
export function typescript(inputsNow: () => Variables): Extension {
  const inputs = inputCompletions(inputsNow);
  return [
    tabKey,
    lineNumbers(),
    foldGutter(),
    highlightSpecialChars(),
    history(),
    indentUnit.of('  '),
    EditorState.tabSize.of(2),
    EditorState.phrases.of({ Completions: words.completions }),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    rectangularSelection(),
    loadedSearch,
    autocompletion({ icons: false }),
    javascript({ typescript: true }),
    [javascriptLanguage, typescriptLanguage].flatMap((language) => [
      language.data.of({ autocomplete: inputs }),
      language.data.of({ autocomplete: globalCompletions }),
    ]),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...foldKeymap]),
  ];
}
