import { HiddenValues } from './hidden-values';
import { REDACTED } from './secrets';
import { joinedTexts, shownText, type ReferringText } from './value-references';

const TOKEN = 'sk_live+51Hx/Yz?"ü"';
const LOGIN = { username: 'adalovelace', password: 'engine&no1' };

function hiding(...connections: [string, unknown][]): HiddenValues {
  const values = new HiddenValues();
  values.add(new Map(connections));
  return values;
}

const known = hiding(['crm', TOKEN], ['mail', LOGIN], ['pin', '48392017'], ['short', 'abcde']);

/** What is stored of a value. */
const stored = (value: unknown, values = known) => values.hide(JSON.stringify(value));
const shown = (value: unknown, values = known): unknown => JSON.parse(shownText(stored(value, values)));
const again = (value: unknown, today = known, by = known): unknown =>
  JSON.parse(today.reveal(stored(value, by) as ReferringText));

it('of a connection by OAuth 2.0 hide its tokens, and not the names that the provider has told', () => {
  const values = hiding([
    'chat',
    {
      ...{ access_token: 'xoxb-access-token', token_type: 'Bearer', scope: 'chat:write', client_id: '1234567.89' },
      data: {
        team: { name: 'Acme Corporation' },
        authed_user: { access_token: 'xoxp-of-the-user' },
        id_token: 'eyJhbGci',
      },
      props: { subdomain: 'acme-support', api_key: 'key-in-props' },
    },
  ]);
  const visible = ['Bearer', 'chat:write', 'Acme Corporation', 'acme-support', '1234567.89'];
  const hidden = ['xoxb-access-token', 'xoxp-of-the-user', 'eyJhbGci', 'key-in-props'];

  expect(shown([...visible, ...hidden], values)).toEqual([...visible, ...hidden.map(() => REDACTED)]);
  expect(again([...visible, ...hidden], values, values)).toEqual([...visible, ...hidden]);
});

const FORMS: [string, string][] = [
  ['as it is', TOKEN],
  ['as JSON', JSON.stringify(TOKEN).slice(1, -1)],
  ['in a URL', encodeURIComponent(TOKEN)],
  ['in a form', new URLSearchParams({ a: TOKEN }).toString().slice(2)],
  ['in base64', Buffer.from(TOKEN).toString('base64')],
  ['in base64url', Buffer.from(TOKEN).toString('base64url')],
  ['in hexadecimal', Buffer.from(TOKEN).toString('hex')],
  ['in capital hexadecimal', Buffer.from(TOKEN).toString('hex').toUpperCase()],
  ['as JSON in JSON', JSON.stringify(JSON.stringify(TOKEN)).slice(3, -3)],
  ['in HTML', 'sk_live+51Hx/Yz?&quot;ü&quot;'],
  ['in small letters', TOKEN.toLowerCase()],
];

/** As programs read the path and the query of a URL that somebody has put together. */
const URLS: [string, (secret: string) => string][] = [
  ['in a path', (secret) => withoutOrigin(new URL(`http://h/${secret}`))],
  ['in a path, by a parser before 2023', (secret) => ofPath(secret, (path) => path.replaceAll('%5E', '^'))],
  ['in a path, by a parser since 2023', (secret) => ofPath(secret, (path) => path.replaceAll('^', '%5E'))],
  ['in a query', (secret) => new URL(`http://h/?${secret}`).search.slice(1)],
  ['by encodeURI', encodeURI],
  ['by encodeURIComponent', encodeURIComponent],
  ['in a form', (secret) => new URLSearchParams({ a: secret }).toString().slice(2)],
];
/** The parser of this Node.js may be of either kind. */
const ofPath = (secret: string, written: (path: string) => string): string => {
  const { pathname, search } = new URL(`http://h/${secret}`);
  return written(pathname.slice(1)) + search;
};
const withoutOrigin = ({ pathname, search }: URL) => pathname.slice(1) + search;

describe('the values of connections', () => {
  it.each(FORMS)('are hidden and put back %s', (_, written) => {
    const value = { a: `before ${written} after`, b: [written, written], c: 1 };

    expect(shown(value)).toEqual({ a: `before ${REDACTED} after`, b: [REDACTED, REDACTED], c: 1 });
    expect(again(value)).toEqual(value);
    expect(known.mask(`got ${written}!`)).toBe(`got ${REDACTED}!`);
  });

  it.each([0, 1, 2, 3])('are hidden and put back inside a longer base64 text, %i bytes in', (before) => {
    const value = Buffer.from(`${'x'.repeat(before)}${TOKEN}, and more`).toString('base64');

    const text = shown(value) as string;
    expect(text).toContain(REDACTED);
    expect(Buffer.from(text.split(REDACTED).join(''), 'base64').toString('latin1')).not.toContain('live');
    expect(again(value)).toBe(value);
  });

  it('are hidden and put back as the login of basic authentication, which is then the one of today', () => {
    const basic = ({ username, password }: typeof LOGIN) =>
      `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    expect(shown(basic(LOGIN))).toBe(`Basic ${REDACTED}`);

    const changed = { username: 'grace', password: 'a-new-one' };
    expect(again(basic(LOGIN), hiding(['mail', changed]))).toBe(basic(changed));
  });

  it('are hidden and put back in keys, none of which is lost', () => {
    const value = { [TOKEN]: 1, [`${TOKEN} x`]: 2, nested: { adalovelace: 3, 'engine&no1': 4 } };

    expect(Object.keys(shown(value) as object)).toHaveLength(3);
    expect(JSON.stringify(shown(value))).not.toContain('lovelace');
    expect(again(value)).toEqual(value);
  });

  it('are hidden and put back in keys beside keys that look like hidden ones', () => {
    const value = { [REDACTED]: 0, [`${REDACTED} (2)`]: 1, [TOKEN]: 2, adalovelace: 3 };

    expect(Object.keys(shown(value) as object)).toHaveLength(4);
    expect(again(value)).toEqual(value);
  });

  it('are hidden and put back where they have become a number', () => {
    const value = [48392017, { n: 48392017, m: 483920170 }, '48392017'];

    expect(shown(value)).toEqual([REDACTED, { n: REDACTED, m: 483920170 }, REDACTED]);
    expect(again(value)).toEqual(value);
    expect(again(48392017, hiding(['pin', 'no number']))).toBe('no number');
  });

  describe.each(URLS)('are hidden and put back in URLs %s', (_, write) => {
    it.each([
      ['URLtok<en>-12 34567+/='],
      ['Tôp"Sec\\ret/va+l&ue=9'],
      ["it's `{a|b}` [^~*]?%41\u007f<ü>'😀"],
      ['a token\tof two\r\nlines'],
    ])('(%j)', (secret) => {
      const values = hiding(['crm', secret]);
      const small = write(secret).replace(/%../g, (code) => code.toLowerCase());

      for (const written of [write(secret), small]) {
        expect(shown(`/echo/${written}&x`, values)).toBe(`/echo/${REDACTED}&x`);
        expect(again(`/echo/${written}&x`, values, values)).toBe(`/echo/${written}&x`);
      }
    });
  });

  it('are hidden and put back as the host name that a URL has made of them', () => {
    const values = hiding(['crm', { props: { region: 'Cust0m-PROP-aaa', umlaut: 'Größe-7' } }]);
    const host = new URL('http://Cust0m-PROP-aaa.invalid').hostname;
    const punycode = new URL('http://Größe-7.invalid').hostname;

    expect(values.mask(`The host name ${host} cannot be found.`)).toBe(
      `The host name ${REDACTED}.invalid cannot be found.`,
    );
    expect(shown([host, punycode], values)).toEqual([`${REDACTED}.invalid`, `${REDACTED}.invalid`]);
    expect(again([host, punycode], values, values)).toEqual([host, punycode]);
  });

  describe('with white space at their edges, or of several lines,', () => {
    const PEM = [
      '-----BEGIN PRIVATE KEY-----',
      'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
      'BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj',
      'short',
      '-----END PRIVATE KEY-----',
      '',
    ].join('\n');
    const values = hiding(
      ['pasted', ' pasted-token-5 \n'],
      ['key', { private_key: PEM }],
      ['login', { username: 'grace', password: 'hop\n' }],
    );

    it.each([
      ['as they are', ' pasted-token-5 \n'],
      ['trimmed', 'pasted-token-5'],
      ['trimmed in base64', Buffer.from('pasted-token-5').toString('base64')],
      ['with other ends of lines', PEM.trim().replaceAll('\n', '\r\n')],
      ['with other ends of lines in base64', Buffer.from(PEM.trim().replaceAll('\n', '\r\n')).toString('base64')],
      ['in a form', encodeURIComponent(PEM.trim()).replaceAll('%20', '+')],
      ['in a JSON text', JSON.stringify(PEM.trim()).slice(1, -1)],
      ['by a long line of them', 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'],
      ['by another line of them', 'BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'],
      ['as a login', Buffer.from('grace:hop').toString('base64')],
    ])('are hidden and put back %s', (_, written) => {
      expect(shown(`<${written}>`, values)).toBe(`<${REDACTED}>`);
      expect(again(`<${written}>`, values, values)).toBe(`<${written}>`);
      expect(values.mask(`<${written}>`)).toBe(`<${REDACTED}>`);
    });

    it('are hidden also where nobody has trimmed them, but for white space', () => {
      const written = ['\r\n' + PEM.trim().replaceAll('\n', '\r\n') + '\r\n', Buffer.from(PEM).toString('hex')];

      expect(shown(written, values)).toEqual([`\r\n${REDACTED}\r\n`, `${REDACTED}0a`]);
      expect(again(written, values, values)).toEqual(written);
    });

    it('leave the lines that are short or that everybody knows', () => {
      const text = '"short -----BEGIN PRIVATE KEY-----"';
      expect(values.hide(text)).toBe(text);
    });

    it('are put back as those of today', () => {
      const today = hiding(['pasted', 'another\n']);
      const lines = stored('BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj', values) as ReferringText;

      expect(today.reveal(stored('pasted-token-5', values) as ReferringText)).toBe('"another"');
      expect(hiding(['key', { private_key: 'one line' }]).revealFound(lines)).toBe(`"${REDACTED}"`);
    });
  });

  it('are hidden and put back where they are numbers of six digits or more', () => {
    const values = hiding(['crm', { props: { pin: 938475610, ratio: -1234.567, small: 12345 } }]);
    const value = [938475610, 'pin 938475610.', { 938475610: [-1234.567] }, 12345, 9384756101];

    expect(shown(value, values)).toEqual([REDACTED, `pin ${REDACTED}.`, { [REDACTED]: [REDACTED] }, 12345, 9384756101]);
    expect(again(value, values, values)).toEqual(value);
    const today = hiding(['crm', { props: { pin: 4711471, ratio: 'none', small: 1 } }]);
    expect(JSON.parse(today.reveal(stored(value, values) as ReferringText))).toEqual([
      4711471,
      'pin 4711471.',
      { 4711471: ['none'] },
      12345,
      9384756101,
    ]);
  });

  it('of fewer than six characters are left', () => {
    expect(stored('abcde')).toBe('"abcde"');
    expect(known.mask('abcde')).toBe('abcde');
  });

  it('leave a text without them as it is', () => {
    const text = '{ "b" : "\\u0061\\/", "1" : 1 }';
    expect(known.hide(text)).toBe(text);
    expect(new HiddenValues().hide(text)).toBe(text);
  });

  it('are found where a sender has escaped other characters than JSON.stringify would', () => {
    expect(shownText(known.hide('"ada\\u006covelace and \\/"'))).toBe(`"${REDACTED} and /"`);
  });

  it('are hidden at the end of a message that was cut', () => {
    expect(known.mask(`the server said ${TOKEN.slice(0, 7)}`)).toBe(`the server said ${REDACTED}`);
    expect(known.mask(`the server said ${TOKEN.slice(0, 5)}`)).toBe(`the server said ${TOKEN.slice(0, 5)}`);
  });

  it('are put back in each of several connections that hold the same text', () => {
    const both = hiding(['a', 'the same text'], ['b', 'the same text']);
    expect(both.reveal(both.hide('"the same text"') as ReferringText)).toBe('"the same text"');
  });
});

describe('a text that looks like a reference', () => {
  it.each([
    [`${REDACTED}`],
    [`${REDACTED}${TOKEN}`],
    [`${TOKEN}${REDACTED}`],
    [`**REDACTED${TOKEN}`],
    [`${TOKEN}REDACTED**`],
    [`**${TOKEN}**`],
    [`${REDACTED} (2)`],
  ])('comes back as it was: %s', (text) => {
    const value = { a: text, [text]: 1, token: TOKEN };
    expect(again(value)).toEqual(value);
  });

  it('refers to nothing where the service has made no reference', () => {
    const forged = { text: REDACTED, references: { to: [['crm', 'plain']], at: [[0, 0]] } };
    expect(stored(forged)).toBe(JSON.stringify(forged));
  });
});

describe('a list of stored texts', () => {
  it('refers to what each of them refers to', () => {
    const values = [{ a: TOKEN }, 'plain', [TOKEN, 'adalovelace', { [TOKEN]: 1 }], 48392017];
    const joined = joinedTexts(values.map((value) => stored(value)));

    expect(shownText(joined)).not.toContain('lovelace');
    expect(JSON.parse(known.reveal(joined as ReferringText))).toEqual(values);
    expect(joinedTexts(['1', '"a"'])).toBe('[1,"a"]');
  });
});

describe('a value that is no longer there', () => {
  it('is replaced by a text of its own, which is hidden as the value was', () => {
    const later = hiding(['mail', LOGIN]);
    const referring = stored({ token: TOKEN, user: 'adalovelace' }) as ReferringText;

    expect(JSON.parse(later.revealFound(referring))).toEqual({ token: REDACTED, user: 'adalovelace' });
    const revealed = later.reveal(referring);
    expect(JSON.parse(revealed)).toEqual({
      token: expect.stringMatching(/^\*\*REDACTED .{36}\*\*$/),
      user: 'adalovelace',
    });
    expect(later.missedIn(revealed)).toBe('crm');
    expect(later.missedIn('"adalovelace"')).toBeNull();

    const kept = later.hide(revealed) as ReferringText;
    expect(kept.text).toBe(referring.text);
    expect(JSON.parse(known.reveal(kept))).toEqual({ token: TOKEN, user: 'adalovelace' });
  });
});
