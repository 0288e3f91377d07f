import { UnsupportedMediaTypeError } from '../errors/unsupported-media-type.error';
import { assertFormDecodes, formMembers } from './form-members';

const LATIN_1 = 'application/x-www-form-urlencoded; charset=iso-8859-1';
const UTF_8 = 'application/x-www-form-urlencoded;charset=utf-8';

describe('formMembers', () => {
  it.each<[string, object]>([
    ['', {}],
    ['action=APPROVE&comment=Go+on%21', { action: 'APPROVE', comment: 'Go on!' }],
    ['a=1&b=2&a=3', { a: ['1', '3'], b: '2' }],
    ['name=J%C3%B6rg&empty=&bare&&=', { name: 'Jörg', empty: '', bare: '', '': '' }],
    ['a=%00b&%=%zz&c=1=2', { a: '\0b', '%': '%zz', c: '1=2' }],
    ['?a=%2B%26+%3D', { '?a': '+& =' }],
  ])('reads %j', (text, members) => expect(formMembers(text)).toEqual(members));

  it('reads escapes in the character set that is declared', () => {
    expect(formMembers('name=J%F6rg&city=K%F6ln+é', LATIN_1)).toEqual({ name: 'Jörg', city: 'Köln é' });
    expect(formMembers('name=J%C3%B6rg', UTF_8)).toEqual({ name: 'Jörg' });
  });

  it('takes a member of any name', () => {
    expect(JSON.stringify(formMembers('__proto__=a&toString=b'))).toBe('{"__proto__":"a","toString":"b"}');
  });
});

describe('assertFormDecodes', () => {
  it.each([
    ['a=%E9', LATIN_1],
    ['a=%C3%A9%20', UTF_8],
    ['a=%zz%&b=é', ''],
  ])('lets %s of type %j pass', (text, type) => expect(() => assertFormDecodes(text, type)).not.toThrow());

  it.each([
    ['a=%E9', ''],
    ['a=%C3', UTF_8],
    ['a=1&%FF%FE=b', 'application/x-www-form-urlencoded; charset=utf-16'],
  ])('refuses %s of type %j, which would read U+FFFD', (text, type) =>
    expect(() => assertFormDecodes(text, type)).toThrow(UnsupportedMediaTypeError),
  );
});
