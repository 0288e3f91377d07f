import { EditorView } from '@codemirror/view';

/**
 * Typing over a selection. The browser would keep the look of what was selected, by an inline style, which the policy of
 * the page refuses and reports. So the text is replaced here.
 */
export const typedOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, cancelable } = event;
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== 'insertText' || data === null || !cancelable || empty || view.state.readOnly) return false;
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert));
    if (!isHandled) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});
