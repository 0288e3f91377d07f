import { InvalidRequestError } from '../errors/invalid-request.error';
import { UnsupportedMediaTypeError } from '../errors/unsupported-media-type.error';
import { assertReadableForm, formMembers, MOST_FORM_MEMBERS } from './form-members';
import { leastCpuMs } from '../testing/least-cpu-time';

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
    ['a=%e2%82%ac%F0%9F%8E%89&b=100%&c=%4', { a: '€🎉', b: '100%', c: '%4' }],
  ])('reads %j', (text, members) => expect(formMembers(Buffer.from(text))).toEqual(members));

  it('reads escapes in the character set that is declared', () => {
    expect(formMembers(Buffer.from('name=J%F6rg&city=K%F6ln+é'), LATIN_1)).toEqual({ name: 'Jörg', city: 'Köln é' });
    expect(formMembers(Buffer.from('name=J%C3%B6rg'), UTF_8)).toEqual({ name: 'Jörg' });
  });

  it('takes a member of any name', () => {
    expect(JSON.stringify(formMembers(Buffer.from('__proto__=a&toString=b')))).toBe('{"__proto__":"a","toString":"b"}');
  });
});

describe('assertReadableForm', () => {
  it.each([
    ['a=%E9', LATIN_1],
    ['a=%C3%A9%20', UTF_8],
    ['a=%zz%&b=é', ''],
  ])('lets %s of type %j pass', (text, type) =>
    expect(() => assertReadableForm(Buffer.from(text), type)).not.toThrow(),
  );

  it.each([
    ['a=%E9', ''],
    ['a=%C3', UTF_8],
    ['a=1&%FF%FE=b', 'application/x-www-form-urlencoded; charset=utf-16'],
  ])('refuses %s of type %j, which would read U+FFFD', (text, type) =>
    expect(() => assertReadableForm(Buffer.from(text), type)).toThrow(UnsupportedMediaTypeError),
  );

  it('refuses more members than anybody fills in', () => {
    const members = (count: number) => Buffer.from('a=1&'.repeat(count - 1) + 'a=1');

    expect(() => assertReadableForm(members(MOST_FORM_MEMBERS))).not.toThrow();
    expect(() => assertReadableForm(members(MOST_FORM_MEMBERS + 1))).toThrow(InvalidRequestError);
  });
});

describe('a form of 24 MB', () => {
  const MEGABYTE = 2 ** 20;

  it('that is all escapes takes a moment only, in Latin-1 too', async () => {
    const form = Buffer.from(`a=${'%E9x'.repeat(6 * MEGABYTE)}`);
    const read = () => expect(formMembers(form, LATIN_1)['a']).toHaveLength(12 * MEGABYTE);

    expect(await leastCpuMs(read)).toBeLessThan(1_000); // about 150; each escape on its own took 3,600
  });
});
