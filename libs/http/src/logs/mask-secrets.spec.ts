import { JsonLogger } from './json-logger';
import { maskFields, maskSecrets } from './mask-secrets';

describe('maskSecrets', () => {
  it.each([
    ['key sk-abcdefghijklmnop failed', 'key sk-*** failed'],
    ['Authorization: Bearer abc.def', 'Authorization: *** ***'],
    ['postgres://flow:hunter2@db:5432/x', 'postgres://flow:***@db:5432/x'],
    ['at redis://:Abc@hunter2@redis:6379/0 now', 'at redis://:***@redis:6379/0 now'],
    ['a http://h:80/x and b@c', 'a http://h:80/x and b@c'],
    ['{"password":"hunter2","a":1}', '{"password":"***","a":1}'],
    ['token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.abc end', 'token *** end'],
    [`session rt-${'r'.repeat(43)} ended`, 'session rt-*** ended'],
    [`invitation inv-${'i'.repeat(43)} sent`, 'invitation inv-*** sent'],
    ['signed with whsec_abcdefghijklmnop', 'signed with whsec_***'],
    ['cart-inv-1 and rt-2 are no secrets', 'cart-inv-1 and rt-2 are no secrets'],
    ['Server answered {"access_token":"hunter2"}', 'Server answered {"access_token":"***"}'],
    [
      String.raw`within JSON {\"access_token\":\"hunter2\",\"a\":1}`,
      String.raw`within JSON {\"access_token\":\"***\",\"a\":1}`,
    ],
    ['{"password":"two words \\" and a quote","a":1}', '{"password":"***","a":1}'],
    ['bad token: "abc"', 'bad token: "***"'],
    ['?api_key=hunter2&page=2', '?api_key=***&page=2'],
    ['the token is wrong, try again', 'the token is wrong, try again'],
    ['nothing to hide', 'nothing to hide'],
  ])('turns %s into %s', (text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
  });
});

describe('maskFields', () => {
  it('masks the texts at every depth, and whole fields that are named after secrets', () => {
    const fields = {
      msg: 'Server answered {"access_token":"hunter2"}',
      list: ['Bearer abc', { password: 'any text', pins: { apiKey: 5, secret: ['a'] } }],
      url: 'postgres://flow:hunter2@db/x',
    };

    expect(maskFields(fields)).toEqual({
      msg: 'Server answered {"access_token":"***"}',
      list: ['Bearer ***', { password: '***', pins: { apiKey: '***', secret: '***' } }],
      url: 'postgres://flow:***@db/x',
    });
  });

  it('keeps what says nothing: an absent secret, whether there is one, numbers, and names that only begin so', () => {
    const fields = { token: null, password: false, tokens: 3, at: new Date(0), passwordsAsked: 'yes' };

    expect(maskFields(fields)).toEqual({ ...fields, at: '1970-01-01T00:00:00.000Z' });
  });

  it('takes fields that JSON cannot hold', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const broken = Object.defineProperty({}, 'text', { enumerable: true, get: () => JSON.parse('no') as string });

    expect(JSON.stringify(maskFields({ circle, count: 5n, error: new Error('secret=hunter2') }))).toMatch(
      /deeper than.*"count":"5".*secret=\*\*\*/,
    );
    expect(maskFields(broken)).toEqual({ unreadable: expect.stringContaining('SyntaxError') });
  });
});

describe('JsonLogger', () => {
  it.each([
    [{ msg: 'The server answered: bad token: "abc"' }, { msg: 'The server answered: bad token: "***"' }],
    [{ msg: 'It wants "Bearer abc".' }, { msg: 'It wants "Bearer ***".' }],
    [
      { msg: 'No token.', token: null },
      { msg: 'No token.', token: null },
    ],
  ])('writes a line for %j', (fields, written) => {
    const lines: string[] = [];

    new JsonLogger('api', 'info', { write: (line) => void lines.push(line) }).error(fields, 'Start');

    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([expect.objectContaining(written)]);
  });

  it('ends a circle of causes', () => {
    const lines: string[] = [];
    const error = new Error('in a circle');
    error.cause = error;

    new JsonLogger('api', 'info', { write: (line) => void lines.push(line) }).error(error);

    expect(lines).toHaveLength(1);
  });

  it('writes one JSON object a line, with secrets masked in text, fields and stacks', () => {
    const lines: string[] = [];
    const logger = new JsonLogger('api', 'info', { write: (line: string) => void lines.push(line) });

    logger.log({ url: 'redis://u:hunter2@h' }, 'Queue');
    logger.error(new Error('password=hunter2', { cause: new Error('sk-abcdefghijklmnop') }), 'Start');
    logger.debug('not at this level');

    expect(lines).toHaveLength(2);
    expect(lines.join('')).not.toMatch(/hunter2|abcdefghijklmnop/);
    expect(JSON.parse(lines[0] as string)).toMatchObject({ app: 'api', context: 'Queue', level: 30 });
    expect(JSON.parse(lines[1] as string)).toMatchObject({
      context: 'Start',
      stack: expect.stringContaining('Caused by'),
    });
  });
});
