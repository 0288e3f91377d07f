import { JsonLogger } from './json-logger';
import { maskSecrets } from './mask-secrets';

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
    ['nothing to hide', 'nothing to hide'],
  ])('turns %s into %s', (text, masked) => {
    expect(maskSecrets(text)).not.toMatch(/hunter2|abcdefghijklmnop|abc\.def|eyJ|rrr|iii/);
    expect(maskSecrets(text).startsWith(masked.split('*')[0] as string)).toBe(true);
  });
});

describe('JsonLogger', () => {
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
