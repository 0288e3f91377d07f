import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import type { Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';

export { openSearchPanel } from '@codemirror/search';

export const codeSearch: Extension = [search({ top: true }), highlightSelectionMatches(), keymap.of(searchKeymap)];
