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
const shown = (value: unknown): unknown => JSON.parse(shownText(stored(value)));
const again = (value: unknown, values = known): unknown => JSON.parse(values.reveal(stored(value) as ReferringText));

const FORMS: [string, string][] = [
  ['as it is', TOKEN],
  ['as JSON', JSON.stringify(TOKEN).slice(1, -1)],
  ['in a URL', encodeURIComponent(TOKEN)],
  ['in a form', new URLSearchParams({ a: TOKEN }).toString().slice(2)],
  ['in base64', Buffer.from(TOKEN).toString('base64')],
  ['in base64url', Buffer.from(TOKEN).toString('base64url')],
  ['in hexadecimal', Buffer.from(TOKEN).toString('hex')],
  ['in capital hexadecimal', Buffer.from(TOKEN).toString('hex').toUpperCase()],
];

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
