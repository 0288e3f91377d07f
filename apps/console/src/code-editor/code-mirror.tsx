import type { Extension } from '@codemirror/state';
import { Annotation, Compartment, EditorState, Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef, type RefObject } from 'react';
import { cspNonce } from '../browser/csp-nonce';
import { changeBetween } from './change-between';
import { editorTheme } from './editor-theme';
import { typedOver } from './typed-over';

export interface CodeMirrorProps {
  /** The ids of the elements with the name and the description of the field. */
  labelledBy: string;
  describedBy?: string | undefined;
  value: string;
  isReadOnly: boolean;
  /** Read once. */
  extensions: Extension;
  onChange: (text: string) => void;
  onFocus?: ((view: EditorView) => void) | undefined;
  /** Is told of the view, and of null when there is none any more. */
  onView?: ((view: EditorView | null) => void) | undefined;
  className?: string | undefined;
}

/** Says that a change came from the value, and is none of the person's. */
const fromValue = Annotation.define<boolean>();
/** Only a line feed separates lines, so that a text leaves the editor exactly as it came. */
const lines = EditorState.lineSeparator.of('\n');
const pastedLines = EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, '\n'));

/** A text field of CodeMirror that shows `value`, and reports what a person makes of it. */
export function CodeMirror({ value, className, ...props }: CodeMirrorProps) {
  const parent = useRef<HTMLDivElement>(null);
  const editor = useEditor(parent, value, props);
  const { labelledBy, describedBy, isReadOnly } = props;
  useEffect(() => editor.current?.show(value), [editor, value]);
  useEffect(
    () => editor.current?.configure({ labelledBy, describedBy, isReadOnly }),
    [editor, labelledBy, describedBy, isReadOnly],
  );
  return <div ref={parent} className={className} />;
}

function useEditor(
  parent: RefObject<HTMLDivElement | null>,
  value: string,
  props: Omit<CodeMirrorProps, 'value' | 'className'>,
): RefObject<Editor | null> {
  const editor = useRef<Editor | null>(null);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  const first = useRef({ value, props });
  useEffect(() => {
    if (!parent.current) return undefined;
    const made = new Editor(parent.current, first.current.value, first.current.props, () => latest.current);
    editor.current = made;
    latest.current.onView?.(made.view);
    return () => {
      latest.current.onView?.(null);
      first.current = { value: made.text(), props: latest.current }; // React may make the component again
      made.view.destroy();
    };
  }, [parent]);
  return editor;
}

type Settings = Pick<CodeMirrorProps, 'labelledBy' | 'describedBy' | 'isReadOnly'>;
type Listeners = Pick<CodeMirrorProps, 'onChange' | 'onFocus'>;

class Editor {
  readonly view: EditorView;
  private readonly settings = new Compartment();
  /** Texts that were reported and did not come back as the value yet. */
  private sent: string[] = [];

  constructor(
    parent: HTMLElement,
    value: string,
    props: Omit<CodeMirrorProps, 'value' | 'className'>,
    private readonly listeners: () => Listeners,
  ) {
    const extensions: Extension = [
      EditorView.cspNonce.of(cspNonce()),
      lines,
      pastedLines,
      typedOver,
      this.settings.of(settingsOf(props)),
      props.extensions,
      editorTheme,
      EditorView.updateListener.of(({ docChanged, transactions }) => {
        if (docChanged && transactions.some((each) => each.docChanged && !each.annotation(fromValue))) this.report();
      }),
      EditorView.domEventHandlers({ focus: () => this.listeners().onFocus?.(this.view) }),
    ];
    this.view = new EditorView({ parent, state: EditorState.create({ doc: value, extensions }) });
  }

  text(): string {
    return this.view.state.doc.toString();
  }

  /** Shows the value, unless it is what a person typed and has typed on since. */
  show(value: string): void {
    const at = this.sent.indexOf(value);
    if (at >= 0) {
      this.sent = this.sent.slice(at + 1);
      return;
    }
    const shown = this.text();
    if (shown === value) return;
    this.sent = [];
    this.view.dispatch({
      changes: changeBetween(shown, value),
      annotations: [fromValue.of(true), Transaction.addToHistory.of(false)],
    });
  }

  configure(settings: Settings): void {
    this.view.dispatch({ effects: this.settings.reconfigure(settingsOf(settings)) });
  }

  private report(): void {
    const text = this.text();
    this.sent.push(text);
    this.listeners().onChange(text);
  }
}

const settingsOf = ({ labelledBy, describedBy, isReadOnly }: Settings): Extension => [
  EditorState.readOnly.of(isReadOnly),
  EditorView.editable.of(!isReadOnly),
  EditorView.contentAttributes.of({
    'aria-labelledby': labelledBy,
    ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
    tabindex: '0', // also what is read only can be reached and copied
    ...(isReadOnly ? { 'aria-readonly': 'true' } : {}),
  }),
];
