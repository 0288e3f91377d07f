import { InvalidRequestError } from '../errors/invalid-request.error';
import { MAX_XML_DEPTH, MOST_XML_NODES, MOST_XML_REFERENCES, xmlValue } from './xml-value';
import { leastCpuMs } from '../testing/least-cpu-time';

const nested = (depth: number): string => '<a>'.repeat(depth) + '</a>'.repeat(depth);

describe('xmlValue', () => {
  it.each<[string, string, object]>([
    ['an element without anything', '<a/>', { a: '' }],
    ['text', '<?xml version="1.0"?>\n<a>\n  hello  </a>\n', { a: 'hello' }],
    ['children', '<a><b>1</b><c>007</c></a>', { a: { b: '1', c: '007' } }],
    ['several children of a name', '<a><b>1</b><c/><b>2</b><b/></a>', { a: { b: ['1', '2', ''], c: '' } }],
    ['attributes', `<a x="1" y = '2'><b z=""/></a>`, { a: { '@_x': '1', '@_y': '2', b: { '@_z': '' } } }],
    ['text beside others', '<a x="1">t<b/>u</a>', { a: { '@_x': '1', b: '', '#text': 'tu' } }],
    ['prefixes', '<s:a xmlns:s="urn:s"><s:b/></s:a>', { 's:a': { '@_xmlns:s': 'urn:s', 's:b': '' } }],
    ['comments, instructions and character data', '<a><!-- <b> --><?p x?><![CDATA[<b>&amp;]]></a>', { a: '<b>&amp;' }],
    ['references', '<a b="&quot;&#39;">&lt;&#x1F600;&amp;lt;&apos;</a>', { a: { '@_b': `"'`, '#text': "<😀&lt;'" } }],
    ['line ends as they are', '<a>\r\n1\r\n2\r\n</a>', { a: '1\r\n2' }],
    ['references that make no others', '<a>&amp;lt;&#38;lt;&amp;amp;</a>', { a: '&lt;&lt;&amp;' }],
    ['names of other writings', '<größe 日="本"/>', { größe: { '@_日': '本' } }],
    ['a document type that declares nothing', '<!DOCTYPE a SYSTEM "http://x.test/a.dtd"><a/>', { a: '' }],
    ['another one', `<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' "http://x.test/s"> <svg/>`, { svg: '' }],
  ])('reads %s', (_, text, value) => expect(xmlValue(text)).toEqual(value));

  it('takes names of JavaScript for names', () => {
    const value = xmlValue('<constructor><__proto__>1</__proto__><toString/></constructor>');
    expect(JSON.stringify(value)).toBe('{"constructor":{"__proto__":"1","toString":""}}');
    expect(({} as { 1?: string })[1]).toBeUndefined();
  });

  it('leaves references that nobody declared, and to what is no character, as they are', () => {
    const text = '&nbsp;&#0;&#xD800;&#x110000;&;&AMP; & x';
    expect(xmlValue(`<a>${text}</a>`)).toEqual({ a: text });
  });

  it.each([
    ['entities within entities', '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><l>&b;</l>'],
    ['an entity of another address', '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><l>&a;</l>'],
    ['a parameter entity', '<!DOCTYPE l [<!ENTITY % a SYSTEM "http://x.test/">%a;]><l/>'],
    ['a document type inside of the root', '<l><!DOCTYPE l></l>'],
    ['a declaration elsewhere', '<l><!ENTITY a "b"></l>'],
  ])('refuses %s', (_, text) => expect(() => xmlValue(text)).toThrow('The body: is XML with declarations'));

  it.each([
    '',
    ' ',
    'text',
    '<a>',
    '<a',
    '<a x>',
    '<a x=1/>',
    '<a x="1"y="2"/>',
    '<a x="1" x="2"/>',
    '<a x="<"/>',
    '</a>',
    '<a></b>',
    '<a/><b/>',
    '<a/>text',
    '<a><!-- </a>',
    '<![CDATA[x]]><a/>',
    '<a><![CDATA[x</a>',
    '<1/>',
    '< a/>',
    '<a>< </a>',
    '{"a":1}',
  ])('refuses %j, which is no XML', (text) => {
    expect(() => xmlValue(text)).toThrow(InvalidRequestError);
    expect(() => xmlValue(text)).toThrow(/is not valid XML: .* at character \d+\.$/);
  });

  it('quotes nothing of a body that it refuses', () => {
    expect(() => xmlValue('<secret>canary')).toThrow(
      /^The body: is not valid XML: an element has no end, at character 14\.$/,
    );
  });

  it('bounds depth and number', () => {
    expect(xmlValue(nested(MAX_XML_DEPTH))).toBeTruthy();
    expect(() => xmlValue(nested(MAX_XML_DEPTH + 1))).toThrow(`nests deeper than ${MAX_XML_DEPTH} levels`);
    const children = (count: number) => xmlValue(`<a>${'<b/>'.repeat(count)}</a>`);
    expect(children(MOST_XML_NODES - 1)).toBeTruthy();
    expect(() => children(MOST_XML_NODES)).toThrow(`at most ${MOST_XML_NODES} elements`);
    const attributes = (count: number) =>
      xmlValue(`<a ${Array.from({ length: count }, (_, n) => `b${n}=""`).join(' ')}/>`);
    const references = (count: number) => xmlValue(`<a b="&lt;">${'&#1;'.repeat(count - 1)}</a>`);
    expect(references(MOST_XML_REFERENCES)).toBeTruthy();
    expect(() => references(MOST_XML_REFERENCES + 1)).toThrow(`at most ${MOST_XML_REFERENCES} references`);
    expect(() => attributes(MOST_XML_NODES)).toThrow(`at most ${MOST_XML_NODES} elements`);
  });

  it.each([
    ['open brackets', '<'.repeat(2_000_000)],
    ['ampersands', `<a>${'&'.repeat(2_000_000)}</a>`],
    ['half references', `<a>${'&#x'.repeat(700_000)}</a>`],
    ['spaces in a tag', `<a${' '.repeat(2_000_000)}`],
    ['half attributes', `<a${' b '.repeat(700_000)}`],
    ['quotes', `<a b=${'"'.repeat(2_000_000)}`],
    ['beginnings of comments', `<a>${'<!--'.repeat(500_000)}`],
    ['beginnings of character data', `<a>${'<![CDATA['.repeat(200_000)}`],
    ['a document type of quotes', `<!DOCTYPE a PUBLIC ${`"'`.repeat(1_000_000)}`],
    ['names', `<${'a'.repeat(2_000_000)}`],
  ])('reads 2 MB of %s in no time', async (_, text) => {
    const read = () => {
      try {
        xmlValue(text);
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidRequestError);
      }
    };

    expect(await leastCpuMs(read)).toBeLessThan(1_000);
  });
});
