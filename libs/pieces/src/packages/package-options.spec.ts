import type { ConnectionValue, PiecePackage } from '@millrace/domain';
import { coerceAll } from '../host/coerce-all';
import { RecordingHttp } from '../testing/recording-http';
import { InstalledPieces } from './installed-pieces';
import { PackageCalls, UnansweredCall, type PackageAnswer, type PackageCall } from './package-calls';

const REF = { name: '@scope/piece-notes', version: '1.2.0' };
const prop = (type: string, more: object = {}) => ({ type, displayName: 'A prop', required: false, ...more });
const DESCRIPTION = {
  displayName: 'Notes',
  auth: [prop('SECRET_TEXT', { displayName: 'Key' }), prop('CUSTOM_AUTH', { props: { port: prop('NUMBER') } })],
  actions: {
    add: {
      displayName: 'Add',
      props: {
        folder: prop('DROPDOWN', { refreshers: ['auth'] }),
        labels: prop('MULTI_SELECT_DROPDOWN'),
        fields: prop('DYNAMIC', { refreshers: ['folder'] }),
        title: prop('SHORT_TEXT'),
      },
    },
    ping: { displayName: 'Ping', requireAuth: false, props: { host: prop('DROPDOWN') } },
  },
  triggers: { added: { type: 'POLLING', displayName: 'Added', props: { folder: prop('DROPDOWN') } } },
};

class ScriptedCalls extends PackageCalls {
  readonly calls: PackageCall[] = [];
  answer: PackageAnswer = { value: null, output: '' };

  override async call(call: PackageCall): Promise<PackageAnswer> {
    this.calls.push(call);
    return this.answer;
  }
}

async function setUp(value: unknown = null, more: object = {}) {
  const calls = new ScriptedCalls();
  calls.answer = { value, output: '' };
  const installed = { ...REF, id: 'package_1', description: { ...DESCRIPTION, ...more } } as PiecePackage;
  const pieces = new InstalledPieces({ find: async () => [installed] }, calls);
  await pieces.load([REF]);
  const { signal } = new AbortController();
  const context = { http: new RecordingHttp(), signal, projectId: 'project_1' };
  const options = (propName: string, input: Readonly<Record<string, unknown>> = {}, name = 'add') =>
    pieces.options(
      { pieceName: REF.name, pieceVersion: REF.version, name, propName, input, searchValue: 'a' },
      context,
    );
  const problemOf = (value: ConnectionValue) =>
    pieces.connectionProblem({ pieceName: REF.name, pieceVersion: REF.version, value }, context);
  return { calls, pieces, options, problemOf, context };
}

describe('the choices of an input of a package', () => {
  it.each([['folder'], ['labels']])(
    'are asked of the package with the other inputs and the connection (%s)',
    async (propName) => {
      const { calls, options } = await setUp({ disabled: false, options: [{ label: 'Inbox', value: 7 }] });

      expect(await options(propName, { auth: 's3cret-key', title: 'x' })).toEqual({
        kind: 'options',
        options: [{ label: 'Inbox', value: 7 }],
      });

      expect(calls.calls).toMatchObject([
        {
          piece: REF,
          projectId: 'project_1',
          request: {
            kind: 'options',
            owner: 'add',
            prop: propName,
            projectId: 'project_1',
            input: { title: 'x' },
            auth: { type: 'SECRET_TEXT', secret_text: 's3cret-key' },
            searchValue: 'a',
          },
          isFirst: true, // a person waits
        },
      ]);
      expect(calls.calls[0]?.request['input']).not.toHaveProperty('auth');
    },
  );

  it('are asked without a connection as long as none was chosen, and where none is taken', async () => {
    const { calls, options } = await setUp({ disabled: true, placeholder: 'Connect first', options: [] });

    expect(await options('folder', { auth: '' })).toEqual({
      kind: 'options',
      options: [],
      placeholder: 'Connect first',
    });
    await options('host', { auth: 's3cret-key' }, 'ping');

    expect(calls.calls.map(({ request }) => 'auth' in request)).toEqual([false, false]);
  });

  it('are asked of a trigger', async () => {
    const { calls, options } = await setUp({ options: [] });

    await options('folder', { auth: 's3cret-key' }, 'added');

    expect(calls.calls[0]?.request).toMatchObject({ owner: 'added', auth: { type: 'SECRET_TEXT' } });
  });

  it('reject with what the package throws, and for a connection of another kind', async () => {
    const { calls, options } = await setUp();
    calls.answer = { failure: 'The server answered 401.', output: '' };

    await expect(options('folder', { auth: 's3cret-key' })).rejects.toThrow('The server answered 401.');
    await expect(options('folder', { auth: 5 })).rejects.toThrow('is not of the kind secretText');
    expect(calls.calls).toHaveLength(1);
  });

  it('are none for an input without choices', async () => {
    const { options } = await setUp();

    expect(await options('title')).toBeNull();
    expect(await options('unknown')).toBeNull();
  });
});

describe('an input of a package that stands for others', () => {
  const FIELDS = { size: prop('NUMBER', { required: true }), note: prop('MARKDOWN'), wrong: 5 };

  it('is described as the package answers', async () => {
    const { options } = await setUp(FIELDS);

    expect(await options('fields', { folder: 7 })).toEqual({
      kind: 'props',
      props: { size: { kind: 'number', displayName: 'A prop', required: true } },
    });
  });

  it('costs no call of the package at a run, and keeps its members', async () => {
    const { calls, pieces, context } = await setUp(FIELDS);
    const action = pieces.definitionOf(REF.name, 'add', REF.version)?.action ?? { props: {} };
    const fields = { size: '5', more: [1] };

    const coerced = await coerceAll(action, { given: { fields }, written: {} }, { ...context, auth: undefined });

    expect(coerced).toEqual({ input: { fields } });
    expect(calls.calls).toEqual([]);
    expect(pieces.find(REF.name, REF.version)?.actions['add']?.props['fields']).toEqual({
      kind: 'dynamic',
      displayName: 'A prop',
      required: false,
      dependsOnOthers: true,
    });
  });
});

describe('a connection for a package', () => {
  it('is checked by the package, in the form that it expects', async () => {
    const { calls, problemOf } = await setUp({ valid: true });

    expect(await problemOf({ type: 'CUSTOM_AUTH', props: { port: '25' } })).toBeNull();

    expect(calls.calls).toMatchObject([
      { projectId: 'project_1', request: { kind: 'validate', auth: { type: 'CUSTOM_AUTH', props: { port: 25 } } } },
    ]);
    expect(calls.calls[0]?.isFirst).toBe(true);
  });

  it.each<[answer: unknown, problem: string]>([
    [{ valid: false, error: 'The key is wrong.' }, 'The key is wrong.'],
    [{ valid: false }, 'The piece did not say why.'],
    ['yes', 'The piece did not say why.'],
  ])('has the problem that the package tells (%j)', async (answer, problem) => {
    const { problemOf } = await setUp(answer);

    expect(await problemOf({ type: 'SECRET_TEXT', secret_text: 's3cret-key' })).toBe(problem);
  });

  it('of a kind that the package does not take has a problem without asking', async () => {
    const { calls, problemOf } = await setUp();

    expect(await problemOf({ type: 'CUSTOM_AUTH', props: { port: 'x' } })).toContain('is not of the kind secretText');
    expect(calls.calls).toEqual([]);
  });

  it('is no matter of the package, as far as that has noted at its installation what it checks', async () => {
    const { calls, pieces, problemOf } = await setUp(null, { checkedAuths: ['CUSTOM_AUTH'] });
    const checks = (value: ConnectionValue) =>
      pieces.checksConnection({ pieceName: REF.name, pieceVersion: REF.version, value });

    expect(await problemOf({ type: 'SECRET_TEXT', secret_text: 's3cret-key' })).toBeNull();
    expect(calls.calls).toEqual([]);
    expect(checks({ type: 'SECRET_TEXT', secret_text: 's3cret-key' })).toBe(false);
    expect(checks({ type: 'CUSTOM_AUTH', props: { port: '25' } })).toBe(true);
    expect(checks({ type: 'CUSTOM_AUTH', props: { port: 'x' } })).toBe(false);
  });

  it('is not refused by a package that gave no answer', async () => {
    const { calls, problemOf } = await setUp();
    calls.answer = { failure: 'The piece reached its memory limit.', isUnanswered: true, output: '' };

    await expect(problemOf({ type: 'SECRET_TEXT', secret_text: 'k' })).rejects.toBeInstanceOf(UnansweredCall);
  });
});
