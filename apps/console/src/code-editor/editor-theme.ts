import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

// The colours follow the theme of the page by `light-dark()`, so an open editor needs nothing when the theme changes.
// All have a contrast of at least 4.5 to 1 with the ground.

const COLOURS = {
  '--code-keyword': 'light-dark(#8a2091, #d79be0)',
  '--code-string': 'light-dark(#176639, #8fd3a4)',
  '--code-number': 'light-dark(#8a3c00, #e9b384)',
  '--code-name': 'light-dark(#15508f, #8fc1ff)',
  '--code-type': 'light-dark(#6b5200, #dcc878)',
  '--code-comment': 'light-dark(#5c6672, #9aa5b4)',
  '--code-selected': 'light-dark(#cfe0fa, #2c4468)',
  '--code-found': 'light-dark(#ffe7a3, #5c4a12)',
};

const highlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.self], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: [tags.propertyName, tags.function(tags.variableName)], color: 'var(--code-name)' },
  { tag: [tags.typeName, tags.className], color: 'var(--code-type)' },
  { tag: tags.comment, color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: tags.invalid, textDecoration: 'underline wavy var(--bad)' },
]);

const look = EditorView.theme({
  '&': { ...COLOURS, color: 'var(--text)', backgroundColor: 'var(--ground)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-content ::selection, .cm-line::selection': { backgroundColor: 'var(--code-selected)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--quiet)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--hover)',
    outline: '1px solid var(--edge)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--hover)' },
  '.cm-searchMatch': { backgroundColor: 'var(--code-found)' },
  '.cm-searchMatch.cm-searchMatch-selected': { outline: '2px solid var(--accent)' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search input, .cm-panel.cm-search button': {
    minHeight: '24px',
    border: '1px solid var(--edge)',
    borderRadius: '4px',
    backgroundColor: 'var(--ground)',
    backgroundImage: 'none',
    color: 'var(--text)',
  },
  '.cm-panel.cm-search label': { fontSize: '13px' },
  '.cm-tooltip': { border: '1px solid var(--line)', backgroundColor: 'var(--ground)', color: 'var(--text)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxWidth: 'min(480px, 90vw)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { color: 'inherit', fontStyle: 'normal' },
});

export const editorTheme: Extension = [look, syntaxHighlighting(highlighting)];
