import { json } from '@codemirror/lang-json';
import { EditorState } from '@codemirror/state';
import { tokenFor } from './insert-token';

/** What is inserted at the `|` of a text. */
const inserted = (marked: string, path: (string | number)[], extensions = json()) => {
  const at = marked.indexOf('|');
  return tokenFor(EditorState.create({ doc: marked.replace('|', ''), extensions }), path, at);
};
const path = ['trigger', 'body', 'odd key'];

describe('tokenFor', () => {
  it.each([
    ['Hello |', '{{ trigger.body["odd key"] }}'],
    ['{{ | }}', 'trigger.body["odd key"]'],
    ['{{ a }}|', '{{ trigger.body["odd key"] }}'],
  ])('is a token, or a path within one, in the text %j', (marked, expected) => {
    const state = EditorState.create({ doc: marked.replace('|', '') });
    expect(tokenFor(state, path, marked.indexOf('|'))).toBe(expected);
  });

  it.each([
    ['{"a": |}', '"{{ trigger.body[\\"odd key\\"] }}"'],
    ['{"a": "|"}', '{{ trigger.body[\\"odd key\\"] }}'],
    ['{"a": "x {{ | }}"}', 'trigger.body[\\"odd key\\"]'],
    ['[1, |]', '"{{ trigger.body[\\"odd key\\"] }}"'],
    ['"x"|', '"{{ trigger.body[\\"odd key\\"] }}"'],
  ])('is JSON in the JSON %j', (marked, expected) => {
    expect(inserted(marked, path)).toBe(expected);
  });
});
