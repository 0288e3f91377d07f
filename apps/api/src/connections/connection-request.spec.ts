import { InvalidRequestError } from '@millrace/domain';
import { parseConnectionRequest } from './connection-request';

const request = (more: object = {}) => ({
  projectId: 'p',
  externalId: 'warehouse',
  displayName: 'Warehouse',
  type: 'SECRET_TEXT',
  value: { secret_text: 's3cret' },
  ...more,
});

const client = { client_id: 'x', token_url: 'https://id.example/token' };

function problemsOf(body: unknown): unknown {
  try {
    parseConnectionRequest(body);
    return [];
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.params['errors'];
    throw error;
  }
}

describe('parseConnectionRequest', () => {
  it.each([
    ['SECRET_TEXT', { secret_text: 's3cret' }],
    ['BASIC_AUTH', { username: 'ada', password: '' }],
    ['CUSTOM_AUTH', { props: { region: 'eu', nested: [1] } }],
  ])('reads a value of the type %s', (type, value) => {
    const { value: read, ...names } = parseConnectionRequest(request({ type, value }));
    expect(names).toEqual({
      projectId: 'p',
      externalId: 'warehouse',
      displayName: 'Warehouse',
      pieceName: null,
      pieceVersion: null,
    });
    expect(read).toEqual({ type, ...value });
  });

  it('reads what OAuth2 needs, with its defaults, and needs no value without authentication', () => {
    expect(parseConnectionRequest(request({ type: 'OAUTH2', value: client })).value).toEqual({
      type: 'OAUTH2',
      ...client,
      client_secret: '',
      authorization_url: null,
      scope: '',
      redirect_url: null,
      grant_type: 'authorization_code',
      authorization_method: 'BODY',
      code: null,
      state: null,
      code_verifier: null,
    });
    expect(parseConnectionRequest(request({ type: 'NO_AUTH', value: undefined })).value).toEqual({ type: 'NO_AUTH' });
  });

  it.each(['x'.repeat(255), 'a/b:c.d', 'Lager-Süd', '{{x}}'])('takes the external id %.20s', (externalId) => {
    expect(parseConnectionRequest(request({ externalId })).externalId).toBe(externalId);
  });

  it.each<[string, object, string[]]>([
    ['no project', { projectId: undefined }, ['/projectId']],
    ['an empty external id', { externalId: '' }, ['/externalId']],
    ['an external id that is none', { externalId: 7 }, ['/externalId']],
    ['white space in the external id', { externalId: 'a b' }, ['/externalId']],
    ['an invisible character in the external id', { externalId: 'a\u200bb' }, ['/externalId']],
    ['a long external id', { externalId: 'x'.repeat(256) }, ['/externalId']],
    ['a blank name', { displayName: ' ' }, ['/displayName']],
    ['a long name', { displayName: 'x'.repeat(256) }, ['/displayName']],
    ['no type', { type: undefined }, ['/type']],
    ['an unknown type, whatever the value', { type: 'TOKEN', value: { token: 1 } }, ['/type']],
    ['an empty client', { type: 'OAUTH2', value: { client_id: '', token_url: 'https://a' } }, ['/value/client_id']],
    [
      'OAuth2 with addresses that are none',
      { type: 'OAUTH2', value: { client_id: 'x', token_url: 'ftp://a', redirect_url: 'b' } },
      ['/value/token_url', '/value/redirect_url'],
    ],
    ['an unknown grant', { type: 'OAUTH2', value: { ...client, grant_type: 'password' } }, ['/value/grant_type']],
    ['a value for no authentication', { type: 'NO_AUTH', value: { token: 'x' } }, ['/value/token']],
    ['no value', { value: undefined }, ['/value']],
    ['a value that is no object', { value: 's3cret' }, ['/value']],
    [
      'the value of another type',
      { value: { username: 'a', password: 'b' } },
      ['/value/secret_text', '/value/username', '/value/password'],
    ],
    ['an empty secret', { value: { secret_text: '' } }, ['/value/secret_text']],
    ['a secret that is no text', { value: { secret_text: 1 } }, ['/value/secret_text']],
    ['no password', { type: 'BASIC_AUTH', value: { username: 'a' } }, ['/value/password']],
    ['no username', { type: 'BASIC_AUTH', value: { username: '', password: 'b' } }, ['/value/username']],
    ['no properties', { type: 'CUSTOM_AUTH', value: {} }, ['/value/props']],
    ['properties that are a list', { type: 'CUSTOM_AUTH', value: { props: [] } }, ['/value/props']],
    ['an unknown field', { colour: 'red' }, ['/colour']],
  ])('refuses %s', (_what, more, paths) => {
    const problems = problemsOf(request(more)) as { path: string; message: string }[];
    expect(problems.map(({ path }) => path)).toEqual(paths);
    for (const { message } of problems) expect(message).toMatch(/\.$/);
  });

  it('refuses what is no object, and never repeats a secret', () => {
    expect(problemsOf([])).toEqual([{ path: '', message: 'must be a JSON object.' }]);
    expect(JSON.stringify(problemsOf(request({ value: { secret_text: 's3cret', other: 's3cret' } })))).not.toContain(
      's3cret',
    );
  });
});
