import { BuiltInPieces } from '../built-in-pieces';

const pieces = new BuiltInPieces();
const trigger = pieces.findTrigger('webhook', '', 'catch_webhook');
const MARK = '**REDACTED**';
const problemsOf = (authType: string, authFields?: unknown, echoChallenge?: unknown) =>
  trigger?.inputProblems({ authType, authFields, echoChallenge });

describe('the authentication of catch_webhook', () => {
  it.each([
    ['basic', { username: 'ada', password: `${MARK}:id` }],
    ['header', { headerName: 'X-Api-Key', headerValue: "{{ connections['key'] }}" }],
    ['hmac', { secrets: ['a', 'b'], headerName: 'X-Signature' }],
    ['hmac', { secret: 'a', headerName: 'x-s', algorithm: 'sha512', encoding: 'base64', prefix: 'sha512=' }],
    ['standard_webhooks', { secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] }],
    ['github', { secret: 'It is a secret' }],
    ['stripe', { secrets: ['whsec_test'] }],
    ['slack', "{{ connections['slack'] }}"],
    ['slack', { secrets: "{{ connections['slack'].secrets }}" }],
    ['standard_webhooks', { secrets: ['no base64!', `${MARK}:id`, "{{ connections['key'] }}"] }],
  ])('may be %s %j', (authType, authFields) => {
    expect(problemsOf(authType, authFields)).toEqual([]);
    expect(trigger?.unknownInputs({ authType, authFields })).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['basic', undefined, '"User name" (authFields.username) is required'],
    ['basic', { username: 'a:b', password: 'p' }, 'must not have a colon'],
    ['basic', { username: 'a', password: '' }, '(authFields.password) is required'],
    ['header', { headerName: 'X-Api-Key' }, '(authFields.headerValue) is required'],
    [
      'header',
      { headerName: 'X Api Key', headerValue: 'v' },
      '"X Api Key" in authFields.headerName is not the name of a header',
    ],
    ['header', { headerName: 'Content-Type', headerValue: 'v' }, 'which HTTP uses itself'],
    ['hmac', { secret: 's' }, '(authFields.headerName) is required'],
    ['hmac', { secret: 's', headerName: 'x', algorithm: 'md5' }, 'must be one of sha256, sha1, sha512'],
    ['github', undefined, 'needs a secret'],
    ['stripe', { secrets: [] }, 'needs a secret'],
    ['slack', { secrets: [''] }, 'authFields.secrets[0] is empty'],
    ['slack', { secrets: ['s', ' '] }, 'authFields.secrets[1] is empty'],
    ['slack', { secret: ' ' }, 'authFields.secret is empty'],
    ['slack', { secrets: ['s', {}] }, 'authFields.secrets[1] must be text'],
    ['slack', { secret: true }, 'authFields.secret must be text'],
    ['header', { headerName: 5, headerValue: 'v' }, '(authFields.headerName) must be text'],
    ['standard_webhooks', { secrets: ['s', 'whsec_!!!'] }, 'authFields.secrets[1] must be base64 after "whsec_"'],
    ['standard_webhooks', { secret: 'whsec_' }, 'authFields.secret must be base64'],
    ['header', { headerName: 'x', headerValue: ' ' }, '(authFields.headerValue) must be one line that is not blank'],
    ['header', { headerName: 'x', headerValue: 'a\nb' }, '(authFields.headerValue) must be one line'],
    ['hmac', { secret: 's', headerName: 'x:y' }, '"x:y" in authFields.headerName is not the name of a header'],
    ['hmac', { secret: 's', headerName: 'x', prefix: ' v1=' }, '(authFields.prefix) must not begin with a space'],
    ['slack', { secrets: Array.from({ length: 11 }, String) }, 'at most 10 secrets'],
    [
      'github',
      { secrets: ['s', MARK] },
      'The secret in authFields.secrets[1] is not known in this flow: write it again',
    ],
    ['github', { secret: '{{ trigger.body }}' }, 'An expression in authFields.secret must be the name of a connection'],
    ['github', { secret: "Bearer {{ connections['a'] }}" }, 'must be the name of a connection'],
    ['github', ['s'], 'must be an object'],
  ])('has a problem with %s %j', (authType, authFields, problem) =>
    expect(problemsOf(authType, authFields)).toContainEqual(expect.stringContaining(problem)),
  );

  it('warns of members that the type does not have', () =>
    expect(trigger?.unknownInputs({ authType: 'github', authFields: { secret: 's', headerName: 'x' } })).toEqual([
      'authFields.headerName',
    ]));

  it('knows where its secrets are, whatever the type is', () =>
    expect(trigger?.secretInputs.map((path) => path.join('.')).sort()).toEqual([
      'authFields.headerValue',
      'authFields.password',
      'authFields.secret',
      'authFields.secrets',
    ]));

  it('describes the members of each type to clients, and marks secrets', () => {
    const { membersBy } = pieces.find('webhook')?.triggers['catch_webhook']?.props['authFields'] ?? {};

    expect(membersBy).toMatchObject({
      input: 'authType',
      members: {
        none: {},
        basic: { username: { required: true }, password: { required: true, isSecret: true } },
        hmac: { secrets: { kind: 'array', isSecret: true }, algorithm: { options: expect.any(Array) } },
      },
    });
    expect(Object.keys(membersBy?.members ?? {})).toHaveLength(8);
  });
});

describe('the echoed challenge of catch_webhook', () => {
  it.each([[undefined], [{ in: 'query', name: 'hub.challenge' }], [{ in: 'header', name: 'X-Hook-Secret' }]])(
    'may be %j',
    (challenge) => expect(problemsOf('none', undefined, challenge)).toEqual([]),
  );

  it.each<[unknown, string]>([
    [{}, '(echoChallenge.in) is required'],
    [{ in: 'body', name: 'a' }, 'must be one of query, header'],
    [{ in: 'query' }, '(echoChallenge.name) is required'],
    [{ in: 'query', name: 5 }, '(echoChallenge.name) must be text'],
    [{ in: 'header', name: 'Set-Cookie' }, 'which HTTP uses itself'],
    [{ in: 'header', name: 'Access-Control-Allow-Origin' }, 'must not be Access-Control-Allow-Origin'],
    [{ in: 'header', name: 'a b' }, 'is not the name of a header'],
    [{ in: 'query', name: '{{ x }}' }, '(echoChallenge) cannot have an expression in it'],
    ['query', 'must be an object'],
  ])('has a problem with %j', (challenge, problem) =>
    expect(problemsOf('none', undefined, challenge)).toContainEqual(expect.stringContaining(problem)),
  );
});
