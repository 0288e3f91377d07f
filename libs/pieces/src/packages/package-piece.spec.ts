import { setImmediate as nextTurn } from 'node:timers/promises';
import { ReferringTexts, ServiceUnavailableError, type PiecePackage, type PieceRef } from '@millrace/domain';
import { RecordingSlot } from '@millrace/domain/testing';
import { HostUnderTest, RUN } from '../testing/a-piece-host';
import { PieceHost, type ActionCall } from '../host/piece-host';
import { InstalledPieces } from './installed-pieces';
import { PackageCalls, type PackageAnswer, type PackageCall } from './package-calls';

const REF: PieceRef = { name: '@scope/piece-notes', version: '1.2.0' };
const prop = (type: string, more: object = {}) => ({ type, displayName: 'A prop', required: false, ...more });

const DESCRIPTION = {
  displayName: 'Notes',
  description: 'Keeps notes.',
  categories: ['TEAM_WORK'],
  auth: prop('SECRET_TEXT', { displayName: 'Key' }),
  actions: {
    add: { displayName: 'Add', description: 'Adds a note.', props: { size: prop('NUMBER', { required: true }) } },
    ping: { displayName: 'Ping', description: '', requireAuth: false, props: {} },
    fill: { displayName: 'Fill', description: '', requireAuth: false, props: { fields: prop('DYNAMIC') } },
    bill: {
      displayName: 'Bill',
      description: '',
      requireAuth: false,
      props: {
        items: prop('ARRAY', {
          properties: { amount: prop('NUMBER', { displayName: 'Amount', required: true }), scan: prop('FILE') },
        }),
      },
    },
  },
};

/** Answers calls as the test says, and notes them. */
class ScriptedCalls extends PackageCalls {
  readonly calls: PackageCall[] = [];

  constructor(private readonly answer: (call: PackageCall) => Promise<unknown>) {
    super();
  }

  override async call(call: PackageCall): Promise<PackageAnswer> {
    this.calls.push(call);
    const output = 'printed\nin two lines\n';
    try {
      return { value: await this.answer(call), output };
    } catch (error) {
      return { failure: (error as Error).message, output };
    }
  }
}

async function setUp(answer: (call: PackageCall) => Promise<unknown>, description: unknown = DESCRIPTION) {
  const calls = new ScriptedCalls(answer);
  const installed = { ...REF, id: 'package_1', description } as PiecePackage;
  const packages = { find: async (refs: readonly PieceRef[]) => (refs.length > 0 ? [installed] : []) };
  const pieces = new InstalledPieces(packages, calls);
  await pieces.load([REF]);
  const services = new HostUnderTest();
  const host = new PieceHost(pieces, services);
  const run = (actionName: string, input: unknown, more: Partial<ActionCall> = {}) =>
    host.run(
      { pieceName: REF.name, pieceVersion: REF.version, actionName, input, run: RUN, ...more },
      new AbortController().signal,
    );
  return { calls, pieces, run, services };
}

const goesOn = (output: unknown) => async () => ({ output, ending: 'goesOn', tags: [] });
const withFile = async ({ begun, services }: PackageCall) => {
  begun?.();
  return { output: await services['files.next']?.(), ending: 'goesOn', tags: [] };
};

describe('an action of a package', () => {
  it('gets its input coerced and its connection as the package expects it, and gives its output', async () => {
    const { calls, run } = await setUp(goesOn({ id: 7 }));

    expect(await run('add', { auth: 'secret', size: '5' })).toEqual({
      kind: 'value',
      output: { id: 7 },
      outputText: '{"id":7}',
      logs: ['printed', 'in two lines'],
    });
    expect(calls.calls[0]).toMatchObject({
      piece: REF,
      projectId: RUN.projectId,
      request: {
        kind: 'action',
        action: 'add',
        input: { size: 5 },
        auth: { type: 'SECRET_TEXT', secret_text: 'secret' },
        runId: RUN.id,
        flowId: RUN.flowId,
      },
    });
  });

  it('gets the version of its flow, and is told when its author tests the step alone', async () => {
    const { calls, run } = await setUp(goesOn(null));

    await run('ping', {}, { flowVersionId: 'version_1' });
    await run('ping', {}, { isTest: true });

    expect(calls.calls.map(({ request: { flowVersionId, isTest } }) => [flowVersionId, isTest])).toEqual([
      ['version_1', undefined],
      [undefined, true],
    ]);
  });

  it('gets the members of a dynamic input as an editor has noted them', async () => {
    const { calls, run } = await setUp(withFile);
    const schema = { count: prop('NUMBER'), file: prop('FILE') };
    const fields = { count: '5', file: 'data:text/plain,hello' };

    const ran = await run('fill', { fields }, { propertySettings: { fields: { schema } } });

    expect(calls.calls[0]?.request).toMatchObject({
      input: { fields: { ...fields, count: 5 } },
      files: [['fields', 'file']],
    });
    expect(ran).toMatchObject({ output: { extension: 'txt', bytes: 5 } });
  });

  it('gets the members of each object in a list coerced, and their files', async () => {
    const { calls, run } = await setUp(goesOn(null));
    const scan = 'data:text/plain,hello';

    await run('bill', { items: [{ amount: '5' }, { amount: '6', scan }] });
    const refused = await run('bill', { items: [{ amount: 5 }, { amount: 'much' }] });

    expect(calls.calls.map(({ request }) => request)).toMatchObject([
      {
        input: { items: [{ amount: 5 }, { amount: 6, scan }] },
        files: [['items', 1, 'scan']],
      },
    ]);
    expect(refused).toMatchObject({ message: 'The input "Amount" (items[1].amount) must be a number.' });
  });

  it('has the members of lists described, and tells of those that it does not know', async () => {
    const { pieces } = await setUp(goesOn(null));
    const items = [{ amount: 1, price: 2 }];

    expect(pieces.find(REF.name, REF.version)?.actions['bill']?.props['items']).toMatchObject({
      kind: 'array',
      members: { amount: { kind: 'number', displayName: 'Amount', required: true }, scan: { kind: 'file' } },
    });
    const action = pieces.findAction(REF.name, REF.version, 'bill');
    expect(action?.unknownInputs({ items })).toEqual(['items[0].price']);
    expect(action?.inputProblems({ items: [{ amount: '{{ x }}' }, { amount: 'much' }] })).toEqual([
      'The input "Amount" (items[1].amount) must be a number.',
    ]);
  });

  it('is not called with an input that does not fit', async () => {
    const { calls, run } = await setUp(goesOn(null));

    expect(await run('add', { auth: 'secret', size: 'many' })).toMatchObject({
      kind: 'failed',
      message: 'The input "A prop" (size) must be a number.',
    });
    expect(await run('add', { size: 5 })).toMatchObject({
      message: expect.stringContaining('"Key" (auth) is required'),
    });
    expect(calls.calls).toEqual([]);
  });

  it('fails with what the package throws', async () => {
    const { run } = await setUp(() => Promise.reject(new Error('No such note.')));

    expect(await run('ping', {})).toEqual({
      kind: 'failed',
      message: 'No such note.',
      logs: ['printed', 'in two lines'],
    });
  });

  it('adds tags, answers the caller and ends the run', async () => {
    const response = { status: 201, headers: { 'x-a': 'b' }, body: { made: true } };
    const { run } = await setUp(async () => ({ output: null, ending: 'stops', tags: ['a', 5], response }));

    expect(await run('ping', {})).toMatchObject({
      effects: {
        tags: ['a', '5'],
        stop: { status: 'SUCCEEDED' },
        response: { status: 201, headers: { 'x-a': 'b', 'content-type': 'application/json' }, body: { made: true } },
      },
    });
  });

  it('gets the name of its step, and what it said last of its progress is logged', async () => {
    const { calls, run } = await setUp(async ({ services }) => {
      for (const done of [1, 2]) await services['output.update']?.({ done });
      throw new Error('Too slow.');
    });

    const failed = await run('ping', {}, { run: { ...RUN, stepKey: `${RUN.id}:rows[2].send` } });

    expect(failed).toEqual({
      kind: 'failed',
      message: 'Too slow.',
      logs: ['printed', 'in two lines', 'Progress: {"done":2}'],
    });
    expect(calls.calls[0]?.request).toMatchObject({ stepName: 'send' });
  });

  it.each<[value: unknown, expected: unknown]>([
    ['s3cret', { type: 'SECRET_TEXT', secret_text: 's3cret' }],
    [
      { username: 'ada', password: 'p' },
      { type: 'BASIC_AUTH', username: 'ada', password: 'p' },
    ],
    [{ access_token: 't' }, { type: 'OAUTH2', data: {}, props: {}, access_token: 't' }],
    [{ username: 'ada' }, { type: 'CUSTOM_AUTH', props: { username: 'ada' } }],
    [{}, { type: 'CUSTOM_AUTH', props: {} }],
    [undefined, null],
  ])('reads connections of its project in the form that it expects (%j)', async (value, expected) => {
    const texts = new ReferringTexts(async (ids) => new Map(value === undefined ? [] : ids.map((id) => [id, value])));
    const { run } = await setUp(async ({ services }) => ({
      output: await services['connection']?.('crm'),
      ending: 'goesOn',
      tags: [],
    }));

    expect(await run('ping', {}, { texts })).toMatchObject({ kind: 'value', output: expected });
    expect(texts.hidden.mask('of s3cret')).toBe(value === 's3cret' ? 'of **REDACTED**' : 'of s3cret');
  });

  it('writes to the store together, after the call, and reads what it wrote', async () => {
    const read: unknown[] = [];
    const { run, services } = await setUp(async ({ services: asked }) => {
      await asked['store.put']?.('count', false, 1);
      await asked['store.put']?.('count', false, 2);
      await asked['store.put']?.('shared', true, { a: 1 });
      read.push(await asked['store.get']?.('count', false), await asked['store.get']?.('count', true));
      return { output: null, ending: 'goesOn', tags: [] };
    });

    await run('ping', {});

    expect(read).toEqual([2, null]);
    const place = { projectId: RUN.projectId, scope: 'FLOW', scopeId: RUN.flowId, key: 'count' } as const;
    expect(await services.store.get(place)).toBe(2);
    expect(await services.store.get({ ...place, scope: 'PROJECT', scopeId: RUN.projectId, key: 'shared' })).toEqual({
      a: 1,
    });
  });

  it('writes again after its wait, and what it writes when it is repeated', async () => {
    let asked = 0;
    const { run, services } = await setUp(async ({ services: { 'store.put': put } }) => {
      await put?.('state', false, ['waiting', 'approved', 'again'][asked++]);
      return { output: null, ending: 'goesOn', tags: [] };
    });
    const state = () =>
      services.store.get({ projectId: RUN.projectId, scope: 'FLOW', scopeId: RUN.flowId, key: 'state' });

    await run('ping', {});
    await run('ping', {}, { waits: 1 });
    expect(await state()).toBe('approved');

    await run('ping', {}, { waits: 1 });
    expect(await state()).toBe('again');
  });

  it.each<[what: string, key: string, value: unknown, times: number, message: RegExp]>([
    ['a key that is too long', 'k'.repeat(129), 1, 1, /1 to 128 characters/],
    ['a value that is too large', 'k', 'x'.repeat(513 * 1024), 1, /at most 512 KB/],
    ['too many keys', 'k', 1, 101, /at most 100 keys/],
    ['too much in all', 'k', 'x'.repeat(500 * 1024), 34, /at most 16 MB/],
  ])('may not write %s to the store', async (_what, key, value, times, message) => {
    const { run } = await setUp(async ({ services: { 'store.put': put } }) => {
      for (let n = 0; n < times; n++) await put?.(times === 1 ? key : `${key}${n}`, false, value);
      return { output: null, ending: 'goesOn', tags: [] };
    });

    expect(await run('ping', {})).toMatchObject({ kind: 'failed', message: expect.stringMatching(message) });
  });

  it('keeps nothing in the store when it fails', async () => {
    const { run, services } = await setUp(async ({ services: asked }) => {
      await asked['store.put']?.('count', false, 1);
      throw new Error('No.');
    });

    await run('ping', {});

    expect(
      await services.store.get({ projectId: RUN.projectId, scope: 'FLOW', scopeId: RUN.flowId, key: 'count' }),
    ).toBeNull();
  });
});

describe('the flows that a call starts', () => {
  /** Each call starts these flows, written `flow content`, where a third word is a header. */
  async function starting(...calls: string[][]) {
    let call = 0;
    const { run, services } = await setUp(async ({ startFlow }) => {
      for (const payload of calls[call++] ?? []) {
        const [flow = '', content] = payload.split(' ');
        await startFlow?.({ flow, payload, content, failParentOnFailure: true }).catch(() => undefined);
      }
      return { output: null, ending: 'goesOn', tags: [] };
    });
    const keysOfCall = async (more: Partial<ActionCall> = {}): Promise<string[]> => {
      services.children.started.splice(0);
      await run('ping', {}, more);
      return services.children.started.map(({ start: { stepKey } }) => stepKey);
    };
    return { keysOfCall, children: services.children };
  }

  it('are the same when the step is repeated, in whatever order they come and whatever their headers are', async () => {
    const { keysOfCall } = await starting(['a 1', 'a 2', 'b 1'], ['b 1', 'a 2', 'a 1'], ['a 1 x', 'a 2', 'b 1']);

    const keys = await keysOfCall();
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(key).toMatch(/^run_1:step_1\/0\/[\w-]+\/1$/);
    expect(await keysOfCall()).toEqual(keys.toReversed());
    expect(await keysOfCall()).toEqual(keys);
  });

  it('are told apart when they are equal, and after a wait', async () => {
    const { keysOfCall } = await starting(['a 1 x', 'a 1 y'], ['a 1 y'], ['a 1 x']);

    const [first = '', second] = await keysOfCall();
    expect(second).toBe(first.replace(/1$/, '2'));
    expect(await keysOfCall()).toEqual([first]);
    expect(await keysOfCall({ waits: 1 })).toEqual([first.replace('/0/', '/1/')]);
  });

  it('are the same when the package asks again for one that failed', async () => {
    const { keysOfCall, children } = await starting(['a 1', 'a 1 again'], ['a 1']);
    jest.spyOn(children, 'start').mockRejectedValueOnce(new ServiceUnavailableError('The database is away.', 1));

    const again = await keysOfCall();

    expect(again).toHaveLength(1);
    expect(await keysOfCall()).toEqual(again);
  });
});

describe('the files of a call', () => {
  const schema = { file: prop('FILE') };
  const noted = { propertySettings: { fields: { schema } } };
  const input = { fields: { file: 'https://files.test/a.pdf' } };

  it('are not read while the call waits for a process', async () => {
    let begin = (): void => undefined;
    const turn = new Promise<void>((resolve) => (begin = resolve));
    const { calls, run, services } = await setUp(async (call) => {
      await turn;
      return withFile(call);
    });

    const running = run('fill', input, noted);
    while (calls.calls.length === 0) await nextTurn();
    expect(services.http.requests).toHaveLength(0);
    begin();

    expect(await running).toMatchObject({ output: { filename: 'a.pdf' } });
    expect(services.http.requests).toMatchObject([{ url: 'https://files.test/a.pdf' }]);
  });

  it('are read without a slot, for which the process of the call would have to wait', async () => {
    const slot = new RecordingSlot();
    const { run, services } = await setUp(withFile);

    await run('fill', input, { ...noted, slot });

    expect(services.http.requests).toHaveLength(1);
    expect(slot.events).toEqual(['left', 'came back']);
  });

  it('that the package still writes are stored before its process takes another call', async () => {
    let isStored = false;
    const { run, services } = await setUp(async ({ services: { 'files.write': write }, ended }) => {
      void write?.('a.txt');
      await Promise.resolve(); // it is under way then
      await ended?.();
      return { output: isStored, ending: 'goesOn', tags: [] };
    });
    jest.spyOn(services.files, 'write').mockImplementation(async () => {
      await nextTurn();
      isStored = true;
      return '';
    });

    expect(await run('ping', {})).toMatchObject({ output: true });
  });

  it('are read again later when a service of ours is away, which fails no step', async () => {
    const { run, services } = await setUp(withFile);
    services.files.read = () => Promise.reject(new ServiceUnavailableError('The database is away.', 1));

    await expect(run('fill', input, noted)).rejects.toThrow('The database is away.');
  });
});

describe('the slot of a run', () => {
  it('is held while the call waits for a process, and left while the package runs', async () => {
    const slot = new RecordingSlot();
    const { run } = await setUp(async ({ begun }) => {
      slot.events.push('waits');
      begun?.();
      slot.events.push('runs');
      return { output: null, ending: 'goesOn', tags: [] };
    });

    await run('ping', {}, { slot });

    expect(slot.events).toEqual(['waits', 'left', 'runs', 'came back']);
  });

  it('is missing where a run executes apart from others, whose call goes first', async () => {
    const { calls, run } = await setUp(goesOn(null));

    await run('ping', {}, { slot: new RecordingSlot() });
    await run('ping', {});

    expect(calls.calls.map(({ isFirst }) => isFirst)).toEqual([false, true]);
  });

  it('is kept by a call whose turn never comes', async () => {
    const slot = new RecordingSlot();
    const { run } = await setUp(() => Promise.reject(new Error('No process.')));

    await run('ping', {}, { slot });

    expect(slot.events).toEqual([]);
  });
});

describe('an action of a package that waits', () => {
  const waits = (wanted: object) =>
    setUp(async ({ request, services }) => {
      if (request['resumedBy'] !== undefined) return { output: request['resumedBy'], ending: 'goesOn', tags: [] };
      const { id } = (await services['waits.create']?.(wanted)) as { id: string };
      return { output: null, ending: 'waits', waitId: id, tags: [] };
    });

  it('for a moment, ends its wait then', async () => {
    const { run } = await waits({ type: 'DELAY', resumeDateTime: '2030-01-02T03:04:05.000Z' });

    expect(await run('ping', {})).toMatchObject({
      kind: 'waiting',
      wait: { kind: 'timer', until: new Date('2030-01-02T03:04:05.000Z') },
    });
  });

  it('for a call of its URL, gets what the caller sent', async () => {
    const { calls, run } = await waits({ type: 'WEBHOOK' });

    expect(await run('ping', {})).toMatchObject({
      kind: 'waiting',
      wait: { kind: 'human', request: { kind: 'webhook' } },
    });
    const { waitId, publicUrl } = calls.calls[0]?.request ?? {};
    expect(`${String(publicUrl)}v1/flow-runs/${RUN.id}/requests/${String(waitId)}`).toBe(
      `https://millrace.test/api/v1/flow-runs/${RUN.id}/requests/${RUN.stepKey}#1`,
    );
    const answer = { body: { yes: true }, headers: {}, queryParams: {} };
    expect(await run('ping', {}, { resumed: { kind: 'human', answer }, waits: 1 })).toMatchObject({ output: answer });
  });

  it('for a call of its URL, has the URL work before it knows it', async () => {
    const opened: unknown[] = [];
    const { run, services } = await setUp(async ({ services: asked }) => {
      const { id } = (await asked['waits.create']?.({ type: 'WEBHOOK' })) as { id: string };
      opened.push(...services.opened);
      return { output: null, ending: 'waits', waitId: id, tags: [] };
    });

    await run('ping', {});

    expect(opened).toEqual([`${RUN.id} ${RUN.stepKey}#1`]);
  });

  it('gives its URL away at once, and sends nothing before the URL works', async () => {
    const { calls, run, services } = await setUp(async ({ services: asked }) => {
      await asked['waits.open']?.();
      return { output: null, ending: 'goesOn', tags: [] };
    });

    const result = await run('ping', {});

    expect(calls.calls[0]?.committing).toEqual(['waits.open']);
    expect(services.opened).toEqual([`${RUN.id} ${RUN.stepKey}#1`]);
    const request = { kind: 'webhook' };
    expect(result).toMatchObject({ effects: { opens: [{ requestId: `${RUN.stepKey}#1`, request }] } });
  });

  it('for the URL that an earlier step has given away, waits for the same', async () => {
    const { calls, run } = await setUp(async ({ services, request }) => {
      await services['waits.create']?.({ type: 'WEBHOOK', id: request['waitId'] });
      return { output: null, ending: 'waits', waitId: request['waitId'], tags: [] };
    });

    const result = await run('ping', {}, { openRequestId: () => 'earlier' });

    expect(calls.calls[0]?.request).toMatchObject({ waitId: 'earlier' });
    expect(result).toMatchObject({ kind: 'waiting', wait: { requestId: 'earlier' } });
  });

  it('does not end when its URL could not be made to work', async () => {
    const { run, services } = await setUp(async ({ services: asked }) => {
      await asked['waits.open']?.().catch(() => undefined);
      return { output: null, ending: 'goesOn', tags: [] };
    });
    services.waits.open = () => Promise.reject(new ServiceUnavailableError('The database is away.', 1));

    await expect(run('ping', {})).rejects.toThrow('The database is away.');
  });

  it('for something that it has not prepared, fails', async () => {
    const { run } = await setUp(async () => ({ output: null, ending: 'waits', waitId: 'forged', tags: [] }));

    expect(await run('ping', {})).toMatchObject({
      kind: 'failed',
      message: 'The package waits for something that it has not prepared.',
    });
  });
});

describe('the pieces of an installation', () => {
  it('describe a package as any other piece', async () => {
    const { pieces } = await setUp(goesOn(null));

    expect(pieces.findAction(REF.name, REF.version, 'add')).toMatchObject({
      pieceName: REF.name,
      pieceVersion: '1.2.0',
      requiredInputs: ['auth', 'size'],
    });
    expect(pieces.findAction(REF.name, '1.3.0', 'add')).toBeNull();
    expect(pieces.isPureAction(REF.name, 'add')).toBe(false);
    expect(pieces.hasPiece(REF.name)).toBe(true);
  });

  it('say which connection an action needs that this service does not have', async () => {
    const { pieces } = await setUp(goesOn(null), { ...DESCRIPTION, auth: prop('TELEPATHY') });

    expect(pieces.findAction(REF.name, REF.version, 'add')?.inputProblems({ size: 5 })).toEqual([
      'Add needs a connection of the kind TELEPATHY, which is not known here.',
    ]);
  });

  it('mean the built-in piece where a name has one', async () => {
    const { pieces } = await setUp(goesOn(null));

    expect(pieces.packagesAmong([{ name: '@activepieces/piece-http', version: '0.1.0' }, REF, REF])).toEqual([REF]);
  });

  it('forget a package that was removed', async () => {
    const found: PiecePackage[] = [{ ...REF, id: 'package_1', description: DESCRIPTION } as PiecePackage];
    const pieces = new InstalledPieces({ find: async () => found }, new ScriptedCalls(goesOn(null)));
    await pieces.load([REF]);
    found.length = 0;

    await pieces.load([REF]);

    expect(pieces.isKnown(REF)).toBe(false);
    expect(pieces.findAction(REF.name, REF.version, 'add')).toBeNull();
  });
});
