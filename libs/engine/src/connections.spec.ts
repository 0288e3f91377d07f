import { codeStep, loop, pieceStep } from '@millrace/domain/testing';
import { BrokenConnection, ConnectionSource } from './ports/connection-source';
import { asRecorded, walk } from './testing/a-walk';
import { ScriptedPieceRunner } from './testing/scripted-piece-runner';

class KnownConnections extends ConnectionSource {
  readonly asked: [projectId: string, externalIds: readonly string[]][] = [];

  constructor(private readonly values: Record<string, unknown>) {
    super();
  }

  async find(projectId: string, externalIds: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    this.asked.push([projectId, externalIds]);
    return new Map(Object.entries(this.values));
  }
}

const KNOWN = { crm: 'sesame-open', mail: { username: 'ann', password: 'line\n"end"' } };

describe('connections', () => {
  it('are read by paths and by JavaScript, and hidden in the record', async () => {
    const input = {
      token: '{{ connections.crm }}',
      header: 'Bearer {{ connections["mail"].password.length }}',
      no: '{{ connections.x }}',
    };
    const { records } = await walk([codeStep('a', input)], { connections: new KnownConnections(KNOWN) });

    expect(JSON.parse(records[0]?.output ?? '')).toEqual({ token: '**REDACTED**', header: 'Bearer 10', no: '' });
    expect(JSON.parse(records[0]?.input ?? '')).toEqual({
      token: '**REDACTED**',
      header: 'Bearer **REDACTED**',
      no: '**REDACTED**',
    });
  });

  it('are asked for once, together, when the first step reads one', async () => {
    const connections = new KnownConnections(KNOWN);
    const inLoop = loop(
      'l',
      [1, 2],
      [codeStep('b', { x: '{{ connections.crm }}' }), codeStep('c', { x: '{{ connections.mail.username }}' })],
    );
    const { outcome } = await walk([codeStep('a', {}, '() => 1'), inLoop], { connections });

    expect(outcome.kind).toBe('succeeded');
    expect(connections.asked).toEqual([['p1', ['crm', 'mail']]]);
  });

  it.each([
    ['a flow without them', [codeStep('a', { x: '{{ trigger }}', y: 'connections.crm' })]],
    [
      'a flow whose step is called connections',
      [codeStep('connections'), codeStep('b', { x: '{{ connections.crm }}' })],
    ],
    [
      'a flow that does not come to the step',
      [codeStep('a', {}, '() => { throw new Error("no"); }'), codeStep('b', { x: '{{ connections.crm }}' })],
    ],
  ])('are not asked for by %s', async (_, steps) => {
    const connections = new KnownConnections(KNOWN);
    await walk(steps, { connections });

    expect(connections.asked).toEqual([]);
  });

  it('that cannot be had are trouble of ours', async () => {
    const connections = new KnownConnections(KNOWN);
    connections.find = () => Promise.reject(new Error('no database'));

    await expect(walk([codeStep('a', { x: '{{ connections.crm }}' })], { connections })).rejects.toThrow('no database');
  });
});

describe('a connection that cannot be used', () => {
  const connections = () => new KnownConnections({ ...KNOWN, broken: new BrokenConnection('It was revoked.') });

  it.each([
    ['a path', '{{ connections.broken.token }}'],
    ['JavaScript', "{{ connections['broken'] ?? 'none' }}"],
    ['a text around it', 'Bearer {{ connections.broken }}'],
  ])('fails each kind of step that names it by %s, with the reason', async (_, input) => {
    for (const step of [codeStep('a', { x: input }), loop('a', input, [])]) {
      const { outcome, records } = await walk([step], { connections: connections() });

      expect(outcome.kind).toBe('failed');
      expect(records[0]?.errorMessage).toBe('The connection "broken" cannot be used: It was revoked.');
    }
  });

  it('disturbs no step that names others', async () => {
    const named = codeStep('b', { x: '{{ connections.broken }}' });
    const { records } = await walk([codeStep('a', { x: '{{ connections.crm }}' }), named], {
      connections: connections(),
    });

    expect(JSON.parse(records[0]?.output ?? '')).toEqual({ x: '**REDACTED**' });
    expect(records[1]).toMatchObject({ status: 'FAILED' });
  });
});

describe('a connection that does not exist', () => {
  const missing = (id: string, key: string) =>
    `The input ${key} names the connection "${id}", and there is no such connection.`;
  const send = async (input: Record<string, unknown>) => {
    const pieceRunner = new ScriptedPieceRunner({ send: [{ kind: 'value', output: '1', logs: [] }] });
    const { outcome } = await walk([pieceStep('send', input)], {
      connections: new KnownConnections(KNOWN),
      pieceRunner,
    });
    return { outcome, calls: pieceRunner.calls.length };
  };

  it.each([
    ['a path', { a: 1, auth: '{{ connections.gone }}' }, missing('gone', 'auth')],
    ['a member of it', { auth: "{{ connections['gone'].token }}" }, missing('gone', 'auth')],
    ['a text around it', { headers: { a: 'Bearer {{ connections.gone }}' } }, missing('gone', 'headers')],
    ['JavaScript', { a: '{{ connections.gone.trim() }}' }, missing('gone', 'a')],
    ['both', { a: '{{ connections.crm }}', b: '{{ connections["gone"] }}' }, missing('gone', 'b')],
  ])('is named by the step of a piece that would get nothing: by %s', async (_, input, message) => {
    expect(await send(input)).toMatchObject({ outcome: { kind: 'failed', step: { name: 'send', message } }, calls: 0 });
  });

  it.each([
    ['another one', { a: '{{ connections.gone ?? connections.crm }}' }],
    ['a text', { a: "{{ connections.gone || 'none' }}" }],
  ])('may be replaced by %s', async (_, input) => {
    expect(await send(input)).toMatchObject({ outcome: { kind: 'succeeded' }, calls: 1 });
  });
});

describe('a secret', () => {
  const leaking = pieceStep('send', { auth: '{{ connections.crm }}{{ connections.mail.username }}' });
  const pieceRunner = (): ScriptedPieceRunner =>
    new ScriptedPieceRunner({
      send: [
        {
          kind: 'failed',
          message: 'ann sent sesame-open and "line\\n\\"end\\""',
          logs: ['got sesame-open', 'line\n"end"'],
        },
      ],
    });
  const masked = 'ann sent **REDACTED** and "**REDACTED**"';

  it('is masked in messages and logs; a short text is none', async () => {
    const connections = new KnownConnections(KNOWN);
    const { records, outcome } = await walk([leaking], { connections, pieceRunner: pieceRunner() });

    expect(records).toMatchObject([{ errorMessage: masked, logs: ['got **REDACTED**', '**REDACTED**'] }]);
    expect(outcome).toMatchObject({ step: { message: masked } });
  });

  it('is masked after a crash too, in what an earlier step handed on', async () => {
    const connections = new KnownConnections(KNOWN);
    const steps = [
      codeStep('a', { token: '{{ connections.crm }}' }),
      codeStep('b', { token: '{{ a.token }}' }, '({ token }) => { throw new Error(token); }'),
    ];
    const whole = await walk(steps, { connections });
    const again = await walk(steps, { connections, recorded: asRecorded(whole.records.slice(0, 1)) });

    expect(again.outcome).toEqual(whole.outcome);
    expect(again.outcome).toMatchObject({ step: { message: '**REDACTED**' } });
  });
});
