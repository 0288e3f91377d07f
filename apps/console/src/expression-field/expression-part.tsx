import { autocompletion } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { EditorState, Prec, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, placeholder as placeholderOf } from '@codemirror/view';
import { useEffect, useMemo, useRef, useState } from 'react';
import { CodeMirror, type CodeMirrorProps } from '../code-editor/code-mirror';
import type { Variables } from '../code-editor/value-completions';
import type { TokenTarget } from './expression-context';
import { insertToken, takesPaths } from './insert-token';
import { closesTokens, tokenCompletions } from './token-completions';
import { setMistake, tokenMarks } from './token-marks';

export interface ExpressionPartProps extends Omit<CodeMirrorProps, 'extensions' | 'onFocus'> {
  variables: Variables;
  /** JSON is coloured as such. */
  language: 'text' | 'json';
  /** Enter makes no line. */
  isOneLine: boolean;
  placeholder?: string | undefined;
  /** Where the text is wrong. */
  mistakeAt: number | null;
  /** Where the field says that it had the focus last. */
  target: { current: TokenTarget | null };
}

/** The part of the field that is loaded when the first one is shown. */
export function ExpressionPart({ mistakeAt, target, ...props }: ExpressionPartProps) {
  const { variables, language, isOneLine, placeholder, ...rest } = props;
  const latest = useRef(variables);
  const [view, setView] = useState<EditorView | null>(null);
  useEffect(() => {
    latest.current = variables;
  });
  const extensions = useMemo(
    () => [
      expressions(() => latest.current),
      language === 'json' ? json() : EditorView.theme({ '.cm-content': { fontFamily: 'inherit' } }),
      isOneLine ? oneLine : [],
      placeholder === undefined ? [] : placeholderOf(placeholder),
    ],
    [language, isOneLine, placeholder],
  );
  useEffect(() => view?.dispatch({ effects: setMistake.of(mistakeAt) }), [view, mistakeAt]);
  const own = useMemo<TokenTarget | null>(() => view && { insert: (path) => insertToken(view, path) }, [view]);
  useEffect(
    () => () => {
      if (target.current === own) target.current = null;
    },
    [target, own],
  );
  return <CodeMirror extensions={extensions} onView={setView} onFocus={() => (target.current = own)} {...rest} />;
}

function expressions(variablesNow: () => Variables): Extension {
  return [
    history(),
    highlightSpecialChars(),
    EditorView.lineWrapping,
    EditorState.tabSize.of(2),
    tokenMarks,
    closesTokens,
    takesPaths,
    autocompletion({ icons: false, override: [tokenCompletions(variablesNow)] }),
    keymap.of([...defaultKeymap, ...historyKeymap]),
  ];
}

/** Enter is for the form, and pasted lines become blanks. A value of several lines is shown as it is. */
const oneLine: Extension = [
  Prec.high(keymap.of([{ key: 'Enter', run: () => true }])),
  EditorView.clipboardInputFilter.of((text) => text.replace(/\n+/g, ' ')),
];
