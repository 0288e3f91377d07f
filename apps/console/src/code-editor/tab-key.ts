import { completionStatus } from '@codemirror/autocomplete';
import { indentLess, indentMore } from '@codemirror/commands';
import { Prec, StateEffect, StateField, type Extension } from '@codemirror/state';
import { EditorView, keymap, type Command } from '@codemirror/view';

// Tab moves the focus, so that nobody who uses the keyboard alone is caught in the code. It indents from the first Enter
// on, which only somebody presses who writes lines, until Escape or until the focus leaves.

const setIndenting = StateEffect.define<boolean>();

const isIndenting = StateField.define<boolean>({
  create: () => false,
  update: (before, { effects }) => effects.reduce((now, each) => (each.is(setIndenting) ? each.value : now), before),
});

const whileIndenting =
  (command: Command): Command =>
  (view) =>
    view.state.field(isIndenting) && command(view);

const begin: Command = (view) => {
  if (!view.state.readOnly) view.dispatch({ effects: setIndenting.of(true) });
  return false; // and Enter does what it always does
};

const end: Command = (view) => {
  if (completionStatus(view.state) === 'active') return false; // the suggestions close first
  view.dispatch({ effects: setIndenting.of(false) });
  return true;
};

export const tabKey: Extension = [
  isIndenting,
  keymap.of([
    { key: 'Enter', run: begin },
    { key: 'Tab', run: whileIndenting(indentMore), shift: whileIndenting(indentLess) },
  ]),
  // Before the suggestions, which take an Escape also while they are only being looked for.
  Prec.highest(keymap.of([{ key: 'Escape', run: whileIndenting(end) }])),
  EditorView.focusChangeEffect.of((_state, isFocused) => (isFocused ? null : setIndenting.of(false))),
];
