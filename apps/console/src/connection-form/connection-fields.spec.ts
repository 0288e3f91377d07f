import {
  connectionKinds,
  externalIdOf,
  fieldsOf,
  firstKindOf,
  kindOfPiece,
  valueOf,
  type ConnectionKind,
} from './connection-fields';

const kind = (type: ConnectionKind['type']): ConnectionKind => ({ id: type, label: type, type, props: null });

const MAIL = {
  name: 'smtp',
  displayName: 'SMTP',
  auth: {
    kind: 'customAuth',
    displayName: 'Mail server',
    props: {
      host: { kind: 'text', displayName: 'Host', required: true },
      port: { kind: 'number', displayName: 'Port', required: false, defaultValue: 587 },
      tls: { kind: 'checkbox', displayName: 'TLS', required: false },
      password: { kind: 'text', displayName: 'Password', required: false, isSecret: true },
    },
  },
} as unknown as Parameters<typeof kindOfPiece>[0];

describe('what connections are for', () => {
  it('says what the piece says about the connection and each of its fields', () => {
    const host = { kind: 'text', displayName: 'Host', required: true, description: 'Without https://.' } as const;
    const auth = { ...MAIL.auth, description: 'Ask your provider.', props: { host } } as typeof MAIL.auth;
    const kind = kindOfPiece({ ...MAIL, auth }) as ConnectionKind;

    expect(kind.description).toBe('Ask your provider.');
    expect(fieldsOf(kind, {})).toMatchObject([{ name: 'host', description: 'Without https://.' }]);
  });

  it('has a piece in the version that a step names, and others in the newest one', () => {
    const mine = { ...MAIL, version: '1.0.0' };
    const kinds = connectionKinds(
      [
        { ...mine, version: '2.0.0' },
        { ...mine, name: 'other' },
      ],
      mine,
    );

    expect(kinds.flatMap(({ checkedBy }) => checkedBy ?? [])).toEqual([
      { pieceName: 'other', pieceVersion: '1.0.0' },
      { pieceName: 'smtp', pieceVersion: '1.0.0' },
    ]);
  });
});

describe('signing in to the provider of a piece', () => {
  const shop = { kind: 'text', displayName: 'Shop', required: true } as const;
  const shops = (hasApp: boolean) =>
    ({
      ...{ name: 'shops', displayName: 'Shops', version: '1.2.0' },
      auth: { kind: 'secretText', displayName: 'Token', signIn: { props: { shop }, hasApp } },
    }) as unknown as Parameters<typeof kindOfPiece>[0];
  const signIn = (hasApp: boolean) =>
    connectionKinds([shops(hasApp)]).find(({ id }) => id === 'sign-in:shops') as ConnectionKind;

  it('is a kind of its own, and the first one where an administrator has stored an app', () => {
    const checkedBy = { pieceName: 'shops', pieceVersion: '1.2.0' };
    expect(signIn(true)).toMatchObject({ label: 'Sign in to Shops', type: 'OAUTH2', checkedBy });
    expect([firstKindOf(shops(true)), firstKindOf(shops(false))]).toEqual(['sign-in:shops', 'piece:shops']);
    expect(connectionKinds([MAIL]).filter(({ id }) => id.startsWith('sign-in:'))).toEqual([]);
  });

  it('asks for what the piece wants to know, and for a client where there is no app', () => {
    const names = (hasApp: boolean) => fieldsOf(signIn(hasApp), {}).map(({ name }) => name);
    expect([names(true), names(false)]).toEqual([['shop'], ['client_id', 'client_secret', 'shop']]);
  });

  it('sends the two apart', () => {
    const given = { shop: 'lamps', client_id: 'flows', client_secret: 's' };
    expect(valueOf(signIn(true), given)).toEqual({ props: { shop: 'lamps' } });
    expect(valueOf(signIn(false), given)).toEqual({ client_id: 'flows', client_secret: 's', props: { shop: 'lamps' } });
  });
});

describe('the fields of a connection', () => {
  const names = (of: ConnectionKind, given = {}) => fieldsOf(of, given).map(({ name }) => name);

  it('are those of its type', () => {
    expect(names(kind('SECRET_TEXT'))).toEqual(['secret_text']);
    expect(names(kind('BASIC_AUTH'))).toEqual(['username', 'password']);
    expect(names(kind('NO_AUTH'))).toEqual([]);
  });

  it('name the page of the provider only where a person gives consent', () => {
    expect(names(kind('OAUTH2'))).toContain('authorization_url');
    expect(names(kind('OAUTH2'), { grant_type: 'client_credentials' })).not.toContain('authorization_url');
  });

  it('are those that a piece asks for', () => {
    const mail = kindOfPiece(MAIL) as ConnectionKind;
    expect(mail).toMatchObject({ id: 'piece:smtp', label: 'Mail server (SMTP)', type: 'CUSTOM_AUTH' });
    expect(fieldsOf(mail, {})).toMatchObject([
      { name: 'host', kind: 'text', isRequired: true },
      { name: 'port', kind: 'number', initial: '587' },
      { name: 'tls', kind: 'check' },
      { name: 'password', kind: 'secret' },
    ]);
    expect(kindOfPiece({ ...MAIL, auth: null })).toBeNull();
  });
});

describe('the value of a connection', () => {
  it('leaves out what was left empty', () => {
    const given = { client_id: 'flows', client_secret: '', token_url: 'https://id.test/token' };
    expect(valueOf(kind('OAUTH2'), { ...given, grant_type: 'client_credentials' })).toEqual({
      grant_type: 'client_credentials',
      client_id: 'flows',
      token_url: 'https://id.test/token',
      authorization_method: 'BODY',
    });
  });

  it('may have an empty password', () => {
    expect(valueOf(kind('BASIC_AUTH'), { username: 'ada' })).toEqual({ username: 'ada', password: '' });
  });

  it('of several values has all of them, also those with names of the language', () => {
    const given = JSON.parse('{"region":"eu","__proto__":"x"}') as Record<string, string>;
    expect(JSON.stringify(valueOf(kind('CUSTOM_AUTH'), given))).toBe('{"props":{"region":"eu","__proto__":"x"}}');
  });

  it('has the types that the piece asks for, and the values that hold when nothing is given', () => {
    const mail = kindOfPiece(MAIL) as ConnectionKind;
    expect(valueOf(mail, { host: 'mail.test' })).toEqual({ props: { host: 'mail.test', port: 587, tls: false } });
    expect(valueOf(mail, { host: 'mail.test', port: '25', tls: 'true' })).toMatchObject({
      props: { port: 25, tls: true },
    });
  });
});

describe('the name of a connection in expressions', () => {
  it.each([
    ['Warehouse', 'warehouse'],
    ['  My Größe & Co. ', 'my_gro_e_co'],
    ['Crème brûlée', 'creme_brulee'],
    ['倉庫', ''],
  ])('of %j is %j', (name, externalId) => expect(externalIdOf(name)).toBe(externalId));
});
