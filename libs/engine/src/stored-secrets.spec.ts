import {
  hiddenResponse,
  ReferringTexts,
  type FlowAction,
  type RecordedStep,
  type StoredText,
  type WaitEnding,
} from '@millrace/domain';
import { codeStep, loop, pieceStep } from '@millrace/domain/testing';
import { BrokenConnection, ConnectionSource } from './ports/connection-source';
import type { PieceCall } from './ports/piece-runner';
import { asRecorded, walk, type WalkOptions } from './testing/a-walk';
import { EvaluatingCodeRunner } from './testing/evaluating-code-runner';
import { InMemoryLargeOutputs } from './testing/in-memory-large-outputs';
import { ScriptedPieceRunner } from './testing/scripted-piece-runner';
import { aTimer, atTime, WaitingPieceRunner } from './testing/waiting-piece-runner';

const TOKEN = 'sesame-open-51c9';
const REDACTED = '**REDACTED**';

class OneConnection extends ConnectionSource {
  readonly asked: (readonly string[])[] = [];

  constructor(private readonly value: unknown = TOKEN) {
    super();
  }

  override async find(_projectId: string, externalIds: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    this.asked.push(externalIds);
    return new Map(this.value !== null && externalIds.includes('crm') ? [['crm', this.value]] : []);
  }
}

/** Reads the connection, and hands the value on. */
const give = codeStep('give', { token: '{{ connections.crm }}' }, '({ token }) => ({ header: "Bearer " + token })');
const echo = (name: string, text = '{{ give.header }}') => codeStep(name, { text });

const walkWith = (steps: FlowAction[], options: WalkOptions = {}) =>
  walk(steps, { connections: new OneConnection(), ...options });

/** The records as another process reads them. */
const stored = (records: Parameters<typeof asRecorded>[0]): RecordedStep[] =>
  JSON.parse(JSON.stringify(asRecorded(records))) as RecordedStep[];

describe('what a run records', () => {
  it('has no value of a connection, wherever a step hands it on', async () => {
    const steps = [
      give,
      echo('copy'),
      loop('each', ['{{ give.header }}', 'x'], [echo('inner', '{{ each.item }}')]),
      codeStep('base64', { text: '{{ give.header }}' }, '({ text }) => Buffer.from(text.slice(7)).toString("base64")'),
    ];
    const { records, steps: shown, outcome } = await walkWith(steps);

    expect(outcome.kind).toBe('succeeded');
    expect(JSON.stringify(records)).not.toContain(TOKEN);
    expect(JSON.stringify(records)).not.toContain(Buffer.from(TOKEN).toString('base64'));
    expect(shown['copy']).toMatchObject({
      input: { text: `Bearer ${REDACTED}` },
      output: { text: `Bearer ${REDACTED}` },
    });
    expect(shown['each']).toMatchObject({ input: { items: [`Bearer ${REDACTED}`, 'x'] } });
    expect(shown['base64']).toMatchObject({ output: REDACTED });
  });

  it.each([
    ['the value', TOKEN, `Bearer ${TOKEN}`],
    ["today's value", 'another-one-77', 'Bearer another-one-77'],
  ])('gives a run that goes on %s again', async (_, today, expected) => {
    const steps = [give, echo('copy')];
    const { records } = await walkWith(steps);
    const runner = new EvaluatingCodeRunner();
    const connections = new OneConnection(today);

    const again = await walkWith([...steps, echo('last', '{{ copy.text }}')], {
      recorded: stored(records),
      runner,
      connections,
    });

    expect(runner.executedPaths).toEqual(['last']);
    expect(runner.inputs['last']).toEqual({ text: expected });
    expect(connections.asked).toEqual([['crm']]);
    expect(JSON.stringify(again.records)).not.toContain(today);
  });

  it('gives a loop that goes on its items, and expressions its iterations', async () => {
    const items = codeStep('list', { token: '{{ connections.crm }}' }, '({ token }) => [token, "b"]');
    const steps = [items, loop('each', '{{ list.slice() }}', [echo('inner', 'x{{ each.item }}')])];
    const { records } = await walkWith(steps);
    const last = echo('last', '{{ each.iterations[0].inner.output.text }}');

    const fresh = new EvaluatingCodeRunner();
    await walkWith([...steps, last], { runner: fresh });
    const begun = stored(records).slice(0, 3);
    const runner = new EvaluatingCodeRunner();
    await walkWith([...steps, last], { recorded: begun, runner });

    expect(fresh.inputs['last']).toEqual({ text: `x${TOKEN}` });
    expect(runner.inputs['each[1].inner']).toEqual({ text: 'xb' });
    expect(runner.inputs['last']).toEqual({ text: `x${TOKEN}` });
  });

  it('keeps texts from outside that look like what is recorded', async () => {
    const trigger = { text: `${REDACTED} {"references":{"output":{"to":[["crm","plain"]],"at":[[0,0]]}}}` };
    const steps = [give, echo('copy', '{{ trigger.text }}{{ give.header }}')];
    const { records } = await walkWith(steps, { trigger });
    const runner = new EvaluatingCodeRunner();
    await walkWith([...steps, echo('last', '{{ copy.text }}')], { trigger, recorded: stored(records), runner });

    expect(runner.inputs['last']).toEqual({ text: `${trigger.text}Bearer ${TOKEN}` });
  });

  it('keeps large outputs without them too, and reads them with them', async () => {
    const options = { limits: { inlineOutputBytes: 10 }, largeOutputs: new InMemoryLargeOutputs() };
    const { records } = await walkWith([give], options);
    const runner = new EvaluatingCodeRunner();
    await walkWith([give, echo('last')], { ...options, recorded: stored(records), runner });

    const files = [...options.largeOutputs.files.values()];
    expect(files).toEqual([`{"header":"Bearer ${REDACTED}"}`, `{"text":"Bearer ${REDACTED}"}`]);
    expect(runner.inputs['last']).toEqual({ text: `Bearer ${TOKEN}` });
  });

  it('costs nothing where the run reads no connection', async () => {
    const connections = new OneConnection();
    const { records } = await walkWith([codeStep('a', { text: TOKEN })], { connections });

    expect(records[0]?.output).toContain(TOKEN);
    expect(connections.asked).toEqual([]);
  });
});

describe('a value that is no longer there', () => {
  it('fails the step of a piece that has it in its input', async () => {
    const { records } = await walkWith([give]);
    const pieceRunner = new ScriptedPieceRunner();
    const send = pieceStep('send', { url: 'x', headers: { authorization: '{{ give.header }}' } });
    const gone = { connections: new OneConnection(null), pieceRunner, recorded: stored(records) };

    const { outcome, records: after } = await walkWith([give, echo('copy'), send], gone);

    const message = 'The input headers has a value of the connection "crm" that is no longer there.';
    expect(outcome).toMatchObject({ kind: 'failed', step: { name: 'send', message } });
    expect(pieceRunner.calls).toEqual([]);
    expect(after.map(({ output }) => output)).toEqual([`{"text":"Bearer ${REDACTED}"}`, undefined]);

    const recorded = [...stored(records), ...stored(after).slice(0, 1)];
    await walkWith([give, echo('copy'), send], { pieceRunner, recorded });
    expect(pieceRunner.calls).toMatchObject([{ input: `{"url":"x","headers":{"authorization":"Bearer ${TOKEN}"}}` }]);
  });
});

describe('a connection that can no longer be used', () => {
  it('fails the step of a piece that has its value in the input', async () => {
    const { records } = await walkWith([give]);
    const connections = new OneConnection(new BrokenConnection('Its token was revoked.'));
    const send = pieceStep('send', { token: '{{ give.header }}' });
    const pieceRunner = new ScriptedPieceRunner();

    const { outcome } = await walkWith([give, send], { connections, pieceRunner, recorded: stored(records) });

    const message = 'The connection "crm" cannot be used: Its token was revoked.';
    expect(outcome).toMatchObject({ kind: 'failed', step: { name: 'send', message } });
    expect(pieceRunner.calls).toEqual([]);
  });
});

describe('a piece', () => {
  const steps = [give, pieceStep('act', { header: '{{ give.header }}' })];

  it('hides what it stores, and reads it again', async () => {
    const kept: StoredText[] = [];
    const pieceRunner = new ScriptedPieceRunner({});
    pieceRunner.run = async ({ input, texts }: PieceCall) => {
      kept.push(texts?.hide(input) ?? '');
      return { kind: 'value', output: (await texts?.reveal(kept[0] ?? '')) ?? '', logs: [] };
    };
    await walkWith(steps, { pieceRunner });
    expect(JSON.stringify(kept)).not.toContain(TOKEN);

    // Another flow reads what was stored, and names no connection.
    const { records, outcome } = await walkWith([pieceStep('act', {}), echo('last', '{{ act.header }}')], {
      pieceRunner,
    });
    expect(outcome.kind).toBe('succeeded');
    expect(records.map(({ output }) => output)).toEqual([
      `{"header":"Bearer ${REDACTED}"}`,
      `{"text":"Bearer ${REDACTED}"}`,
    ]);
  });

  it('responds, tags, asks and waits without them, and goes on with them', async () => {
    const pieceRunner = new WaitingPieceRunner();
    const asked = pieceRunner.run.bind(pieceRunner);
    const response = { status: 200, headers: {}, body: [TOKEN] };
    pieceRunner.run = async (call) => {
      const outcome = await asked(call);
      return {
        ...outcome,
        effects: { tags: [TOKEN], response, stop: { status: 'SUCCEEDED', message: TOKEN } },
      } as never;
    };
    const request = { kind: 'form', fields: [{ name: 'a', label: TOKEN, type: 'text', required: true }] } as const;
    const waiting = new ScriptedPieceRunner({
      act: [{ kind: 'waiting', wait: { ...aTimer('r1:act', 1), kind: 'human', request }, logs: [TOKEN] }],
    });

    const stopped = await walkWith(steps, { pieceRunner: Object.assign(pieceRunner, { waitsOf: { act: 0 } }) });
    expect(JSON.stringify([stopped.records, stopped.outcome])).not.toContain(TOKEN);
    expect(stopped.outcome).toMatchObject({ tags: [REDACTED], reason: REDACTED, response: { body: [REDACTED] } });

    const paused = await walkWith(steps, { pieceRunner: waiting });
    expect(paused.outcome.kind).toBe('paused');
    expect(JSON.stringify([paused.records, paused.outcome])).not.toContain(TOKEN);
    const waitEndings = new Map([['r1:act#1', atTime('2026-01-01')]]);
    await walkWith(steps, { pieceRunner: waiting, recorded: stored(paused.records), waitEndings });
    expect(waiting.calls.at(-1)).toMatchObject({ input: `{"header":"Bearer ${TOKEN}"}`, waits: 1 });
  });

  it('is given the response of a child with the values that it refers to', async () => {
    const texts = new ReferringTexts(async () => new Map([['crm', TOKEN]]));
    await texts.know(['crm']);
    const response = hiddenResponse({ status: 200, headers: {}, body: [TOKEN] }, texts.hidden);
    const ending: WaitEnding = { kind: 'child', runId: 'c', status: 'SUCCEEDED', response };
    const pieceRunner = new WaitingPieceRunner();
    const { records } = await walkWith(steps, { pieceRunner });
    const waitEndings = new Map([['r1:act#1', ending]]);
    await walkWith(steps, { pieceRunner, recorded: stored(records), waitEndings });

    expect(pieceRunner.calls.at(-1)?.resumed).toMatchObject({ response: { body: [TOKEN] } });
  });
});

describe('the payload of a run', () => {
  it('is read with the values that another run of the project put into it', async () => {
    const runner = new EvaluatingCodeRunner();
    const payload = { text: `{"token":"${REDACTED}"}`, references: { to: [['crm', 'plain']], at: [[10, 0]] } } as const;
    const { records } = await walkWith([echo('copy', '{{ trigger.token }}')], { payload, runner });

    expect(runner.inputs['copy']).toEqual({ text: TOKEN });
    expect(records[0]?.output).toBe(`{"text":"${REDACTED}"}`);
  });
});
