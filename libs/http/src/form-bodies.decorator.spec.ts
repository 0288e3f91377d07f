import { formMembers } from './form-bodies.decorator';

describe('formMembers', () => {
  it.each<[string, object]>([
    ['', {}],
    ['action=APPROVE&comment=Go+on%21', { action: 'APPROVE', comment: 'Go on!' }],
    ['a=1&b=2&a=3', { a: ['1', '3'], b: '2' }],
    ['name=J%C3%B6rg&empty=&bare', { name: 'Jörg', empty: '', bare: '' }],
    ['a=%00b&%=%zz', { a: '\ufffdb', '%': '%zz' }],
  ])('reads %j', (text, members) => expect(formMembers(text)).toEqual(members));

  it('takes a member of any name', () => {
    expect(JSON.stringify(formMembers('__proto__=a&toString=b'))).toBe('{"__proto__":"a","toString":"b"}');
  });
});
