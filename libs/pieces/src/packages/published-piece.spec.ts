import { coerceAuth } from '../framework/auth';
import { coerceInput } from '../framework/coerce-input';
import { packageAuth } from './package-auth';
import { packageProps, type AskPackage } from './package-props';
import { readPublishedPiece } from './published-piece';

const prop = (type: string, more: object = {}) => ({ type, displayName: 'A prop', required: false, ...more });
const propsOf = (props: object) =>
  readPublishedPiece('piece', { actions: { act: { displayName: 'Act', props } } }).actions['act']?.props ?? {};
const never: AskPackage = () => Promise.reject(new Error('The package was not to be asked.'));
const oursOf = (props: object, ask = never) => packageProps(propsOf(props), ask);

const trigger = (type: string, displayName: string) => ({
  ...{ type, displayName, description: '', requiresAuth: true, props: {} },
});

describe('what a package says of itself', () => {
  it('is read as far as it has the right form', () => {
    const described = {
      displayName: 'Notes',
      description: 'Keeps notes.',
      auth: prop('SECRET_TEXT', { displayName: 'Key' }),
      actions: {
        add: {
          displayName: 'Add',
          description: 'Adds a note.',
          props: { text: prop('SHORT_TEXT', { required: true }), none: 5 },
        },
        list: { description: 7, requireAuth: false, props: null },
      },
      checkedAuths: ['SECRET_TEXT', 5],
      categories: ['PRODUCTIVITY'],
      triggers: {
        added: { type: 'POLLING', displayName: 'Added', props: {}, renewConfiguration: { strategy: 'NONE' } },
        called: {
          type: 'WEBHOOK',
          displayName: 'Called',
          handshakeConfiguration: { strategy: 'QUERY_PRESENT', paramName: 'challenge' },
          renewConfiguration: { strategy: 'CRON', cronExpression: '0 */12 * * *' },
        },
        odd: { type: 'TELEPATHY' },
      },
    };

    expect(readPublishedPiece('notes', described)).toEqual({
      displayName: 'Notes',
      description: 'Keeps notes.',
      auths: [{ type: 'SECRET_TEXT', displayName: 'Key', required: false }],
      checkedAuths: ['SECRET_TEXT', '5'],
      actions: {
        add: {
          displayName: 'Add',
          description: 'Adds a note.',
          requiresAuth: true,
          props: { text: { type: 'SHORT_TEXT', displayName: 'A prop', required: true } },
        },
        list: { displayName: 'list', description: '7', requiresAuth: false, props: {} },
      },
      categories: ['PRODUCTIVITY'],
      triggers: {
        added: { ...trigger('POLLING', 'Added'), renewal: null, handshake: null },
        called: {
          ...trigger('WEBHOOK', 'Called'),
          renewal: { cron: '0 */12 * * *' },
          handshake: { strategy: 'QUERY_PRESENT', paramName: 'challenge' },
        },
      },
    });
  });

  it.each([
    ['*/5 * * * *', { cron: '*/5 * * * *' }],
    ['0 3 * * 1-5', { cron: '0 3 * * 1-5' }],
    ['0 0 31 2 *', null],
    ['now and then', null],
  ])('renews by %j as %j', (cronExpression, renewal) => {
    const renewConfiguration = { strategy: 'CRON', cronExpression };
    const { triggers } = readPublishedPiece('name', { triggers: { called: { type: 'WEBHOOK', renewConfiguration } } });

    expect(triggers['called']?.renewal).toEqual(renewal);
  });

  it.each([null, 'text', 5, [], { actions: 'x', auth: 5 }])('has no actions when it is %j', (described) => {
    expect(readPublishedPiece('name', described)).toMatchObject({
      displayName: 'name',
      auths: [],
      actions: {},
      triggers: {},
    });
  });

  it('is cut where it is long, and cannot change what all objects have', () => {
    const actions = JSON.parse(`{"__proto__":{"displayName":"x"},"${'a'.repeat(300)}":{},"ok":{}}`) as object;
    const piece = readPublishedPiece('name', { displayName: 'n'.repeat(10_000), actions });

    expect(piece.displayName).toHaveLength(200);
    expect(Object.keys(piece.actions)).toEqual(['ok']);
  });
});

describe('a prop of a package', () => {
  it.each([
    ['SHORT_TEXT', 'text', 5, '5'],
    ['LONG_TEXT', 'text', 'x', 'x'],
    ['COLOR', 'text', '#fff', '#fff'],
    ['NUMBER', 'number', '5', 5],
    ['CHECKBOX', 'checkbox', 'true', true],
    ['ARRAY', 'array', '[1]', [1]],
    ['OBJECT', 'object', { a: 1 }, { a: 1 }],
    ['JSON', 'json', '{"a":1}', { a: 1 }],
    ['DATE_TIME', 'date', '2026-01-02T03:04', '2026-01-02T03:04:00.000Z'],
    ['FILE', 'file', 'https://example.com/a', 'https://example.com/a'],
    ['DYNAMIC', 'dynamic', { a: 1 }, { a: 1 }],
    ['SOMETHING_NEW', 'any', [1], [1]],
  ])('of the type %s is a %s', (type, kind, given, coerced) => {
    const props = oursOf({ value: prop(type) });

    expect(props['value']?.kind).toBe(kind);
    expect(coerceInput(props, { value: given })).toEqual({ input: { value: coerced } });
  });

  it('that is a text between the inputs is none', () => {
    expect(oursOf({ note: prop('MARKDOWN') })).toEqual({});
  });

  it('that is a secret is hidden while it is typed', () => {
    expect(oursOf({ key: prop('SECRET_TEXT') })).toMatchObject({ key: { kind: 'text', isSecret: true } });
  });

  it('with choices of its own takes no other value', () => {
    const options = { options: [{ label: 'One', value: 'one' }] };
    const props = oursOf({
      one: prop('STATIC_DROPDOWN', { options }),
      some: prop('STATIC_MULTI_SELECT_DROPDOWN', { options }),
    });

    expect(coerceInput(props, { one: 'one', some: ['one'] })).toEqual({ input: { one: 'one', some: ['one'] } });
    expect(coerceInput(props, { one: 'two' })).toEqual({ problems: ['The input "A prop" (one) must be one of one.'] });
  });

  it('with very many choices has the first of them, and takes any value', () => {
    const options = { options: Array.from({ length: 501 }, (_, value) => ({ label: `Number ${value}`, value })) };
    const props = oursOf({ one: prop('STATIC_DROPDOWN', { options }) });

    expect(props['one']).toMatchObject({ hasMoreOptions: true, options: { length: 500 } });
    expect(coerceInput(props, { one: 500 })).toEqual({ input: { one: 500 } });
  });

  it('that is a list of objects has their members, of which none asks the package', () => {
    const properties = {
      name: prop('SHORT_TEXT', { required: true }),
      info: prop('MARKDOWN'),
      size: prop('STATIC_DROPDOWN', { options: { options: [{ label: 'Large', value: 'l' }] } }),
      user: prop('DROPDOWN'),
      tags: prop('MULTI_SELECT_DROPDOWN'),
      more: prop('DYNAMIC'),
    };
    const { rows } = oursOf({ rows: prop('ARRAY', { properties }) });

    const described = (kind: string, more: object = {}) => ({
      ...{ kind, displayName: 'A prop', required: false },
      ...more,
    });
    expect(rows).toEqual(
      described('array', {
        members: {
          name: described('text', { required: true }),
          size: described('dropdown', { options: [{ label: 'Large', value: 'l' }] }),
          user: described('any'),
          tags: described('array'),
          more: described('object'),
        },
      }),
    );
    expect(oursOf({ rows: prop('ARRAY', { properties: {} }) })).toEqual({ rows: described('array') });
  });

  it('whose choices depend on others asks the package for them', async () => {
    const asked: unknown[] = [];
    const ask: AskPackage = (name, input) => {
      asked.push([name, input]);
      return Promise.resolve({ disabled: false, options: [{ label: 'General', value: 'C1' }, { value: 2 }, 'broken'] });
    };
    const channel = oursOf({ channel: prop('DROPDOWN') }, ask)['channel'];

    const choices = channel?.kind === 'dropdown' && typeof channel.options === 'function' ? channel.options : undefined;
    expect(await choices?.({ team: 'T1' }, { http: {} as never, signal: new AbortController().signal })).toEqual({
      options: [
        { label: 'General', value: 'C1' },
        { label: '2', value: 2 },
      ],
    });
    expect(asked).toEqual([['channel', { team: 'T1' }]]);
  });
});

describe('a connection of a package', () => {
  const authsOf = (...auths: object[]) => readPublishedPiece('piece', { auth: auths }).auths;

  it.each([
    [prop('SECRET_TEXT'), 'key', { type: 'SECRET_TEXT', secret_text: 'key' }],
    [prop('BASIC_AUTH'), { username: 'u', password: 'p' }, { type: 'BASIC_AUTH', username: 'u', password: 'p' }],
    [
      prop('CUSTOM_AUTH', { props: { url: prop('SHORT_TEXT', { required: true }), info: prop('MARKDOWN') } }),
      { url: 'https://a.example', more: 1 },
      { type: 'CUSTOM_AUTH', props: { url: 'https://a.example' } },
    ],
    [prop('OAUTH2'), { access_token: 't' }, { type: 'OAUTH2', access_token: 't', data: {}, props: {} }],
    [
      prop('OAUTH2'),
      { access_token: 't', data: { team: { id: 'T1' } }, props: { shop: 'x' }, token_type: 'Bearer' },
      { type: 'OAUTH2', access_token: 't', data: { team: { id: 'T1' } }, props: { shop: 'x' }, token_type: 'Bearer' },
    ],
  ])('is given as the package expects it', (published, given, expected) => {
    const found = packageAuth(authsOf(published));
    const coerced = coerceAuth(found?.auth ?? { kind: 'none' }, given);

    expect('auth' in coerced && found?.valueOf(coerced.auth)).toEqual(expected);
  });

  it('is of any kind that the package takes', () => {
    const found = packageAuth(
      authsOf(
        prop('OAUTH2'),
        prop('CUSTOM_AUTH', { props: { url: prop('SHORT_TEXT', { required: true }) } }),
        prop('SECRET_TEXT'),
      ),
    );
    const valueOf = (given: unknown) => {
      const coerced = coerceAuth(found?.auth ?? { kind: 'none' }, given);
      return 'auth' in coerced ? found?.valueOf(coerced.auth) : coerced.problems;
    };

    expect(found?.auth.kind).toBe('customAuth');
    expect(valueOf({ url: 'u' })).toEqual({ type: 'CUSTOM_AUTH', props: { url: 'u' } });
    expect(valueOf({ access_token: 't' })).toEqual({ type: 'OAUTH2', access_token: 't', data: {}, props: {} });
    expect(valueOf('key')).toEqual({ type: 'SECRET_TEXT', secret_text: 'key' });
    expect(valueOf(5)).toEqual(['The connection "A prop" (auth) is not of the kind customAuth.']);
  });

  it('is the first of several that this service has', () => {
    expect(packageAuth(authsOf(prop('TELEPATHY'), prop('SECRET_TEXT')))?.auth.kind).toBe('secretText');
    expect(packageAuth(authsOf(prop('TELEPATHY')))).toBeNull();
    expect(packageAuth([])).toBeNull();
  });
});
