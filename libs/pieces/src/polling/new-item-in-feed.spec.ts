import type { FeedItem } from './feed/feed-item';
import { PollHostUnderTest } from '../testing/a-poll-host';

const URL_OF_FEED = 'https://news.test/a/feed.xml';

const rss = (items: string, channel = '<title>News &amp; more</title><link>https://news.test/</link>') =>
  `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>${channel}${items}</channel></rss>`;
const atom = (entries: string, attributes = '') =>
  `<feed xmlns="http://www.w3.org/2005/Atom" ${attributes}><title>News</title>${entries}</feed>`;

const EMPTY: FeedItem & { feed: object } = {
  id: null,
  title: null,
  link: null,
  description: null,
  content: null,
  author: null,
  published: null,
  updated: null,
  categories: [],
  enclosures: [],
  comments: null,
  feed: { title: 'News', url: URL_OF_FEED },
};

let subject: PollHostUnderTest;
beforeEach(() => (subject = new PollHostUnderTest()));

const read = (body: string | Uint8Array, contentType?: string) =>
  subject.items(
    'polling.new_item_in_feed',
    { url: URL_OF_FEED },
    { body, ...(contentType !== undefined && { headers: { 'content-type': contentType } }) },
  );
const readOne = async (body: string): Promise<unknown> => (await read(body))[0]?.value;
const names = async (body: string) => (await read(body)).map(({ name }) => name);
const titles = async (body: string | Uint8Array, contentType?: string) =>
  (await read(body, contentType)).map(({ value }) => (value as FeedItem).title);
const fail = (body: string) => subject.failure('polling.new_item_in_feed', { url: URL_OF_FEED }, { body });

describe('polling.new_item_in_feed', () => {
  it('reads RSS 2.0', async () => {
    const item = `<item>
        <title>Tom &amp;amp; Jerry &#8212; again</title>
        <link> https://news.test/1 </link>
        <guid isPermaLink="false">tag:1</guid>
        <description>&lt;p&gt;Short&lt;/p&gt;</description>
        <content:encoded><![CDATA[<p>Long & <b>bold</b></p>]]></content:encoded>
        <dc:creator>Ann</dc:creator>
        <pubDate>Tue, 10 Jun 2003 04:00:00 EST</pubDate>
        <category>Cats</category><category domain="x">Mice</category>
        <enclosure url="/audio.mp3" length="123" type="audio/mpeg"/>
        <comments>https://news.test/1#comments</comments>
      </item>`;

    expect(await readOne(rss(item))).toEqual({
      id: 'tag:1',
      title: 'Tom &amp; Jerry — again',
      link: 'https://news.test/1',
      description: '<p>Short</p>',
      content: '<p>Long & <b>bold</b></p>',
      author: 'Ann',
      published: '2003-06-10T09:00:00.000Z',
      updated: null,
      categories: ['Cats', 'Mice'],
      enclosures: [{ url: 'https://news.test/audio.mp3', type: 'audio/mpeg', length: 123 }],
      comments: 'https://news.test/1#comments',
      feed: { title: 'News & more', url: URL_OF_FEED },
    });
  });

  it('reads RSS 1.0, whose items are beside their channel', async () => {
    const feed = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:d="http://purl.org/dc/elements/1.1/">
      <channel rdf:about="https://news.test/"><title>News</title><items><rdf:Seq><rdf:li rdf:resource="https://news.test/1"/></rdf:Seq></items></channel>
      <item rdf:about="https://news.test/1"><title>One</title><link>https://news.test/1?x=1&amp;y=2</link><d:date>2026-01-02</d:date></item>
    </rdf:RDF>`;

    expect(await readOne(feed)).toEqual({
      ...EMPTY,
      id: 'https://news.test/1',
      title: 'One',
      link: 'https://news.test/1?x=1&y=2',
      published: '2026-01-02T00:00:00.000Z',
    });
  });

  it('reads Atom 1.0, with prefixes and relative links', async () => {
    const feed = `<a:feed xmlns:a="http://www.w3.org/2005/Atom" xml:base="https://blog.test/x/"><a:title>News</a:title>
      <a:entry xml:base="posts/">
        <a:id>urn:1</a:id><a:title type="html">&lt;i&gt;One&lt;/i&gt;</a:title>
        <a:link rel="self" href="self"/><a:link rel="enclosure" href="song.ogg" type="audio/ogg"/><a:link type="text/html" href="one?a=b"/>
        <a:summary type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p class="a&quot;b">x &lt; y<br/></p></div></a:summary>
        <a:author><a:name>Ann</a:name><a:uri>https://ann.test</a:uri></a:author>
        <a:category term="cats" label="Cats"/>
        <a:published>2026-01-02T03:04:05+01:00</a:published><a:updated>2026-01-03T00:00:00Z</a:updated>
      </a:entry></a:feed>`;

    expect(await readOne(feed)).toEqual({
      ...EMPTY,
      id: 'urn:1',
      title: '<i>One</i>',
      link: 'https://blog.test/x/posts/one?a=b',
      description: '<p class="a&quot;b">x &lt; y<br></p>',
      author: 'Ann',
      published: '2026-01-02T02:04:05.000Z',
      updated: '2026-01-03T00:00:00.000Z',
      categories: ['Cats'],
      enclosures: [{ url: 'https://blog.test/x/posts/song.ogg', type: 'audio/ogg', length: null }],
    });
  });

  it('knows an item by its name, else by its link, else by its content', async () => {
    const feed = rss(`
      <item><guid>g</guid><link>https://news.test/1</link></item>
      <item><guid>  </guid><link>https://news.test/2</link></item>
      <item><link/><title>Only a title</title></item>`);

    expect((await names(feed)).reverse()).toEqual(['g', 'https://news.test/2', undefined]);
  });

  it('takes a guid for the link when it is one', async () => {
    const feed =
      rss(`<item><guid>https://news.test/1</guid></item><item><guid isPermaLink="FALSE">https://news.test/2</guid></item>
      <item><guid>17</guid></item>`);

    expect((await read(feed)).map(({ value }) => (value as FeedItem).link).reverse()).toEqual([
      'https://news.test/1',
      null,
      null,
    ]);
  });

  it('resolves relative links against the feed, and leaves what is no URL', async () => {
    const feed = rss('<item><link>../b?c</link></item><item><link>http://[broken</link></item>');

    expect((await read(feed)).map(({ value }) => (value as FeedItem).link).reverse()).toEqual([
      'https://news.test/b?c',
      'http://[broken',
    ]);
  });

  it('gives the oldest first: by the dates when all items have one, else the last of the feed first', async () => {
    const item = (title: string, date = '') =>
      `<item><title>${title}</title>${date && `<pubDate>${date}</pubDate>`}</item>`;

    expect(await titles(rss(item('3') + item('2') + item('1')))).toEqual(['1', '2', '3']);
    expect(await titles(rss(item('1', '2026-01-01') + item('3', '2026-01-03') + item('2', '2026-01-02')))).toEqual([
      '1',
      '2',
      '3',
    ]);
    expect(await titles(rss(item('2', '2026-01-01') + item('1', '2026-01-01')))).toEqual(['1', '2']);
    expect(await titles(rss(item('2', 'yesterday') + item('1', '2026-01-01')))).toEqual(['1', '2']);
  });

  it.each([
    ['UTF-8 by default', '<rss><channel><item><title>é€</title></item></channel></rss>', undefined],
    ['a byte order mark', '\ufeff<rss><channel><item><title>é€</title></item></channel></rss>', undefined],
  ])('decodes %s', async (_what, body, contentType) => expect(await titles(body, contentType)).toEqual(['é€']));

  it.each([
    ['the declaration', '<?xml version="1.0" encoding="ISO-8859-1"?>', undefined, 'é'],
    [
      'the header before the declaration',
      '<?xml version="1.0" encoding="utf-8"?>',
      'text/xml; charset="iso-8859-1"',
      'é',
    ],
    ['UTF-8 when nobody knows the encoding', '<?xml version="1.0" encoding="no-such"?>', undefined, '\ufffd'],
  ])('decodes by %s', async (_what, declaration, contentType, title) => {
    const body = Buffer.from(`${declaration}<rss><channel><item><title>é</title></item></channel></rss>`, 'latin1');

    expect(await titles(body, contentType)).toEqual([title]);
  });

  it('decodes UTF-16, with and without a mark', async () => {
    const feed = '<?xml version="1.0" encoding="UTF-16"?><rss><channel><item><title>é</title></item></channel></rss>';

    expect(await titles(Buffer.from(`\ufeff${feed}`, 'utf16le'))).toEqual(['é']);
    expect(await titles(Buffer.from(feed, 'utf16le').swap16())).toEqual(['é']);
    expect(await titles(Buffer.from(feed, 'latin1'))).toEqual(['\ufffd']);
  });

  it('overlooks the small errors that feeds have', async () => {
    const feed = `\n<rss><channel><item><title>R&D &nbsp; <b>x</title><media:title>M</media:title></item></channel></rss>`;

    expect(await titles(feed)).toEqual(['R&amp;D &amp;nbsp; <b>x</b>']);
  });

  it('expands no entities, inside or outside', async () => {
    const bomb = `<!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>`;

    expect(await titles(`${bomb}<rss><channel><item><title>&b;&f;</title></item></channel></rss>`)).toEqual(['&b;&f;']);
  });

  it.each([
    ['a web page', '<!doctype html><html><body><p>Hello</p></body></html>', 'The answer is no RSS or Atom feed.'],
    ['JSON', '{"items":[]}', 'The answer is no RSS or Atom feed.'],
    ['nothing', '', 'The answer is no RSS or Atom feed.'],
    ['a feed that is cut off', rss('<item><guid>1</guid></item>').slice(0, -8), 'The feed ends in the middle.'],
    [
      'a feed that is cut off in an item',
      rss('<item><guid>12345</guid></item>').slice(0, -40),
      'The feed ends in the middle.',
    ],
    ['depth', rss('<a>'.repeat(101)), 'The feed nests more than 100 levels.'],
    ['elements', rss('<item>' + '<a/>'.repeat(300_001) + '</item>'), 'The feed has more than 300000 elements.'],
    ['items', rss('<item/>'.repeat(10_001)), 'The feed has more than 10000 items.'],
  ])('fails with a sentence for %s', async (_what, body, message) => expect(await fail(body)).toBe(message));

  it('reads an empty feed, and one whose root is empty', async () => {
    expect(await read(rss(''))).toEqual([]);
    expect(await read('<feed/>')).toEqual([]);
  });

  it('lets other work go on while it reads a large feed', async () => {
    const body = rss(`<item><title>${'x'.repeat(1_000)}</title></item>`.repeat(3_000));
    let turns = 0;
    const other = setInterval(() => turns++, 0);

    expect(await read(body)).toHaveLength(3_000);

    clearInterval(other);
    expect(turns).toBeGreaterThan(5);
  });

  it('reads media that are described in groups', async () => {
    const feed = atom(`<entry><id>1</id><media:group xmlns:media="http://search.yahoo.com/mrss/">
      <media:content url="https://v.test/a.mp4" type="video/mp4" fileSize="9"/></media:group></entry>`);

    expect(await readOne(feed)).toEqual({
      ...EMPTY,
      id: '1',
      enclosures: [{ url: 'https://v.test/a.mp4', type: 'video/mp4', length: 9 }],
    });
  });
});
