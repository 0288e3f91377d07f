import { RangeSetBuilder, StateEffect, StateField, type EditorState, type Extension } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from '@codemirror/view';
import { tokensOf } from './tokens';

const token = Decoration.mark({ class: 'cm-token' });
const mistake = Decoration.mark({ class: 'cm-mistake' });

/** Longer texts are shown without colours, so that typing stays fast. */
const LONGEST_COLOURED = 100_000;

function marksIn(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  if (view.state.doc.length <= LONGEST_COLOURED)
    for (const { from, to } of tokensOf(view.state.doc.toString())) builder.add(from, to, token);
  return builder.finish();
}

const tokens = ViewPlugin.fromClass(
  class {
    marks: DecorationSet;

    constructor(view: EditorView) {
      this.marks = marksIn(view);
    }

    update({ docChanged, view }: ViewUpdate): void {
      if (docChanged) this.marks = marksIn(view);
    }
  },
  { decorations: ({ marks }) => marks },
);

/** Marks where an expression is wrong; null marks nothing. */
export const setMistake = StateEffect.define<number | null>();

const mistakes = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, { effects, changes, state }) {
    let now = before.map(changes);
    for (const effect of effects)
      if (effect.is(setMistake)) now = effect.value === null ? Decoration.none : around(effect.value, state);
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The word at the place, or the character; the last one for a place at the end. */
function around(position: number, state: EditorState): DecorationSet {
  const { length } = state.doc;
  if (length === 0) return Decoration.none;
  const at = Math.max(0, Math.min(position, length - 1));
  const { from, to } = state.wordAt(at) ?? { from: at, to: at + 1 };
  return Decoration.set([mistake.range(from, to)]);
}

const look = EditorView.theme({
  '.cm-token': {
    padding: '1px 0',
    borderRadius: '4px',
    backgroundColor: 'light-dark(#e3ecfb, #22324b)',
    color: 'light-dark(#0f438f, #a9ccff)',
    fontFamily: 'var(--mono)',
  },
  '.cm-mistake': { textDecoration: 'underline wavy var(--bad)', textDecorationSkipInk: 'none' },
});

export const tokenMarks: Extension = [tokens, mistakes, look];
