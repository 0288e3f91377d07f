import { anId } from '../testing';
import { namedIn, namesConnection } from './auth-fields';
import { webhookCheck } from './webhook-check';

const ID = anId();
const REFERENCE = `**REDACTED**:${ID}`;
const sources = {
  secrets: new Map([[ID, 'opened']]),
  connections: new Map<string, unknown>([
    ['text', 'of the connection'],
    ['login', { username: 'ada', password: 'lovelace' }],
    ['custom', { secrets: ['a', 'b'] }],
  ]),
};
const senderOf = (authType: unknown, authFields: unknown) => webhookCheck({ authType, authFields }, sources)?.sender;
const NOTHING = { authType: 'nothing' };

describe('webhookCheck', () => {
  it.each([[undefined], [null], ['text'], [{}], [{ authType: '' }], [{ authType: null }], [{ authType: 'none' }]])(
    'checks nothing when the input is %j',
    (input) => expect(webhookCheck(input, sources)).toBeNull(),
  );

  it.each([
    ['github', { secrets: [REFERENCE, 'plain'] }, { secrets: ['opened', 'plain'] }],
    ['stripe', { secret: REFERENCE }, { secrets: ['opened'] }],
    [
      'slack',
      { secrets: ["{{ connections['text'] }}", `{{connections["text"]}}`] },
      { secrets: Array(2).fill('of the connection') },
    ],
    ['slack', { secret: '{{connections.text}}' }, { secrets: ['of the connection'] }],
    ['slack', "{{ connections['text'] }}", { secrets: ['of the connection'] }],
    ['standard_webhooks', "{{ connections['custom'] }}", { secrets: ['a', 'b'] }],
    ['basic', "{{ connections['login'] }}", { username: 'ada', password: 'lovelace' }],
    [
      'basic',
      { username: 'x', password: "{{ connections['login'].password }}" },
      { username: 'x', password: 'lovelace' },
    ],
    ['header', { headerName: 'X-Key', headerValue: ' opened ' }, { headerName: 'x-key', headerValue: 'opened' }],
    [
      'hmac',
      { secret: 's', headerName: 'X-S' },
      { secrets: ['s'], headerName: 'x-s', algorithm: 'sha256', encoding: 'hex', prefix: '' },
    ],
    [
      'hmac',
      { secrets: ['s'], headerName: 'x-s', algorithm: 'sha512', encoding: 'base64', prefix: 'p=' },
      { secrets: ['s'], headerName: 'x-s', algorithm: 'sha512', encoding: 'base64', prefix: 'p=' },
    ],
  ])('reads %s %j', (authType, authFields, expected) =>
    expect(senderOf(authType, authFields)).toEqual({ authType, ...expected }),
  );

  it.each([
    ['an unknown type', 'GITHUB', { secrets: ['s'] }],
    ['a type that is no text', 5, { secrets: ['s'] }],
    ['no fields', 'github', undefined],
    ['fields that are a list', 'github', ['s']],
    ['no secrets', 'github', { secrets: [] }],
    ['an empty secret', 'github', { secrets: [''], secret: '' }],
    ['a secret that is no text', 'github', { secrets: [7, null, {}] }],
    ['the mark of a secret', 'github', { secrets: ['**REDACTED**'] }],
    ['a reference that is not known', 'github', { secrets: [`**REDACTED**:${anId()}`] }],
    ['a connection that does not exist', 'github', { secret: "{{ connections['gone'] }}" }],
    ['a member that a connection does not have', 'github', { secret: "{{ connections['login'].constructor }}" }],
    ['a member of a text', 'github', { secret: "{{ connections['text'].length }}" }],
    ['another expression', 'github', { secret: '{{ 1 + 1 }}' }],
    ['an expression within text', 'github', { secret: "a{{ connections['text'] }}" }],
    ['no user', 'basic', { password: 'p' }],
    ['no password', 'basic', { username: 'u', password: '' }],
    ['no header', 'header', { headerValue: 'v' }],
    ['no value of the header', 'header', { headerName: 'x', headerValue: ' ' }],
    ['no header of the signature', 'hmac', { secret: 's' }],
    ['an unknown algorithm', 'hmac', { secret: 's', headerName: 'x', algorithm: 'md5' }],
    ['an unknown encoding', 'hmac', { secret: 's', headerName: 'x', encoding: 'base32' }],
  ])('lets no request pass when there is %s', (_, authType, authFields) =>
    expect(senderOf(authType, authFields)).toEqual(NOTHING),
  );

  it('reads an echoed challenge, with or without a check of the sender', () => {
    const challengeOf = (echoChallenge: unknown) => webhookCheck({ echoChallenge }, sources)?.challenge ?? null;

    expect(challengeOf({ in: 'query', name: 'hub.Challenge' })).toEqual({ in: 'query', name: 'hub.Challenge' });
    expect(challengeOf({ in: 'header', name: 'X-Hook-Secret' })).toEqual({ in: 'header', name: 'x-hook-secret' });
    for (const unread of ['query', {}, { in: 'body', name: 'a' }, { in: 'query', name: '' }, { in: 'query' }])
      expect(challengeOf(unread)).toBeNull();
  });
});

it.each([
  ...['Set-Cookie', 'Content-Length', 'connection', 'Transfer-Encoding', 'Content-Type', 'location', 'Refresh'],
  ...['access-control-allow-origin', 'content-security-policy', 'X-Request-Id', 'www-authenticate', 'Proxy-Status'],
])('lets no sender set the header %s of an answer, not even by a draft', (name) =>
  expect(webhookCheck({ echoChallenge: { in: 'header', name } }, sources)).toBeNull(),
);

describe('namedIn', () => {
  it('finds the references and the connections of an input', () =>
    expect(
      namedIn({ authFields: { secrets: [REFERENCE, "{{connections['a']}}"], secret: '{{connections.b}}' } }),
    ).toEqual({
      secretIds: [ID],
      connectionIds: ['a', 'b'],
    }));
});

it.each([
  ["{{connections['a b']}}", true],
  ['{{ connections.a.password }}', true],
  ["{{ connections['a'].b.c }}", true],
  ["{{ connections['a'] + 'b' }}", false],
  ["{{ connections['a'] }} ", false],
  ["{{ trigger.body.connections['a'] }}", false],
])('namesConnection says of %s: %s', (text, names) => expect(namesConnection(text)).toBe(names));
