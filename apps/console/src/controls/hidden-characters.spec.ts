import { shownText, textParts } from './hidden-characters';

describe('textParts', () => {
  it('is one part for a text that is seen as it is', () =>
    expect(textParts('<b>Größe</b> 😀\n\tשלום')).toEqual([{ text: '<b>Größe</b> 😀\n\tשלום' }]));

  it('sets a hidden character apart from what is around it, and keeps it', () =>
    expect(textParts('a\0b')).toEqual([{ text: 'a' }, { text: '\0', code: '\\u0000' }, { text: 'b' }]));

  it.each([
    ['a mark that turns the text around', 'a\u202eb', 'a\\u202eb'],
    ['the first half of a pair alone', '\ud83d!', '\\ud83d!'],
    ['the second half of a pair alone', '!\ude00', '!\\ude00'],
    ['a space without a width', 'a\u200bb', 'a\\u200bb'],
    ['a return without a new line', 'a\rb', 'a\\u000db'],
    ['several in a row', '\u0001\u0002', '\\u0001\\u0002'],
  ])('writes out %s', (_, text, shown) => expect(shownText(text)).toBe(shown));

  it('leaves the ends of lines of another system alone', () => expect(shownText('a\r\nb')).toBe('a\r\nb'));

  it('leaves the joiners of letters and signs alone', () =>
    expect(shownText('👩\u200d👩\u200d👧 می\u200cخواهم')).toBe('👩\u200d👩\u200d👧 می\u200cخواهم'));
});
