import { UnsupportedMediaTypeError } from '../errors/unsupported-media-type.error';
import { utf8Of } from './utf8-text';

const TEXT = '{"grüße":"日本"}';
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('utf8Of', () => {
  it.each([
    ['application/json', Buffer.from(TEXT), TEXT],
    ['application/json; charset=utf-8', Buffer.from(`\ufeff${TEXT}`), TEXT],
    ['application/json; charset="UTF-8"', Buffer.from(TEXT), TEXT],
    ['text/plain; charset=us-ascii', Buffer.from('abc'), 'abc'],
    ['application/json;charset=utf-16', Buffer.from(`\ufeff${TEXT}`, 'utf16le'), TEXT],
    ['application/json;charset=utf-16', utf16be(`\ufeff${TEXT}`), TEXT],
    ['application/json;charset=utf-16', Buffer.from(TEXT, 'utf16le'), TEXT],
    ['application/json;charset=utf-16', utf16be(TEXT), TEXT],
    ['application/json;charset=utf-16le', Buffer.from(TEXT, 'utf16le'), TEXT],
    ['application/json;charset=UTF-16BE', utf16be(TEXT), TEXT],
    ['application/json', Buffer.from(`\ufeff${TEXT}`, 'utf16le'), TEXT],
    ['text/plain; charset=iso-8859-1', Buffer.from([0x67, 0x72, 0xfc, 0xdf, 0x65]), 'grüße'],
    ['text/plain; charset=Latin1', Buffer.from([0xe9]), 'é'],
    ['text/plain', Buffer.alloc(0), ''],
  ])('reads a body of type %s', (type, bytes, text) => expect(utf8Of(bytes, type).toString()).toBe(text));

  it.each([
    ['bytes that are no UTF-8', 'application/json', Buffer.from([0x22, 0xe9, 0x22])],
    ['UTF-16 declared as UTF-8', 'text/plain; charset=utf-8', Buffer.from('\ufeffa', 'utf16le')],
    ['half a character', 'text/plain; charset=utf-16le', Buffer.from([0x61, 0x00, 0x62])],
    ['a lone surrogate', 'text/plain; charset=utf-16le', Buffer.from([0x00, 0xd8])],
    ['another character set', 'text/plain; charset=shift_jis', Buffer.from('a')],
  ])('refuses %s', (_what, type, bytes) => expect(() => utf8Of(bytes, type)).toThrow(UnsupportedMediaTypeError));
});
