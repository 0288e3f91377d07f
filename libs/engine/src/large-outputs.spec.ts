import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ServiceUnavailableError, type FlowAction, type JsonText, type OutputFile } from '@millrace/domain';
import { branch, codeStep, fallback, loop, pieceStep, router } from '@millrace/domain/testing';
import type { CodeCall, CodeOutcome } from './ports/code-runner';
import type { ExecutionLimits } from './ports/execution-limits';
import { asRecorded, GatheringSink, walk, type WalkOptions } from './testing/a-walk';
import { EvaluatingCodeRunner } from './testing/evaluating-code-runner';
import { InMemoryLargeOutputs } from './testing/in-memory-large-outputs';
import { ScriptedPieceRunner } from './testing/scripted-piece-runner';

const LIMITS: Partial<ExecutionLimits> = { inlineOutputBytes: 99 };
const LONG = 'x'.repeat(100);
const large = (name: string): FlowAction =>
  codeStep(name, {}, `() => ({ name: '${name}', list: [1, 2], text: '${LONG}' })`);

const keeping = (options: Omit<WalkOptions, 'largeOutputs'> & { largeOutputs?: InMemoryLargeOutputs } = {}) => {
  const { largeOutputs = new InMemoryLargeOutputs(), ...more } = options;
  return { limits: LIMITS, largeOutputs, ...more };
};

describe('a large output', () => {
  it.each([
    ['of a code step', [large('big')]],
    ['of a piece step', [pieceStep('big')]],
  ])('%s is kept outside the journal, before its record', async (_, steps: FlowAction[]) => {
    const largeOutputs = new InMemoryLargeOutputs();
    const sink = new GatheringSink();
    const keep = largeOutputs.keep.bind(largeOutputs);
    largeOutputs.keep = (step, output) => {
      sink.events.push('kept');
      return keep(step, output);
    };
    const pieceRunner = new ScriptedPieceRunner({ big: [{ output: JSON.stringify(LONG) }] });
    const { records, outcome } = await walk(steps, keeping({ largeOutputs, sink, pieceRunner }));

    expect(outcome.kind).toBe('succeeded');
    expect(sink.events.filter((event) => event !== 'durable')).toEqual(['kept', 'big']);
    const bytes = Buffer.byteLength(largeOutputs.files.get('r1:big') ?? '');
    expect(records).toMatchObject([{ status: 'SUCCEEDED', outputFile: { fileId: 'r1:big', bytes } }]);
    expect(records[0]).not.toHaveProperty('output');
  });

  it.each<[string, WalkOptions]>([
    ['at the limit', keeping({ limits: { inlineOutputBytes: 102 } })],
    ['where there is no other place', { limits: LIMITS }],
  ])('stays in the journal %s', async (_, options) => {
    const { records } = await walk([codeStep('big', {}, `() => '${LONG}'`)], options);

    expect(records).toMatchObject([{ output: JSON.stringify(LONG) }]);
  });

  const READERS: [string, FlowAction[], object][] = [
    ['by a path', [codeStep('a', { n: '{{ big.list[1] }}', no: '{{ big.no }}' })], { a: { n: 2, no: '' } }],
    ['in a text', [codeStep('a', { n: 'It is {{ big.name }}.' })], { a: { n: 'It is big.' } }],
    ['as a whole', [codeStep('a', { n: '{{ big }}' }, '({ n }) => n.list')], { a: [1, 2] }],
    ['by JavaScript', [codeStep('a', { n: '{{ big.text.length }}' })], { a: { n: 100 } }],
    ['twice', [codeStep('a', { n: '{{ big.name }}' }), codeStep('b', { n: '{{ big.list }}' })], { b: { n: [1, 2] } }],
    ['as the items of a loop', [loop('l', '{{ big.list }}', [codeStep('a')])], { l: { item: 2, index: 2 } }],
    [
      'by a condition',
      [
        router('r', [
          branch(
            'is',
            [[{ operator: 'TEXT_CONTAINS', firstValue: '{{ big.text }}', secondValue: 'xx' }]],
            [codeStep('a')],
          ),
          fallback([codeStep('b')]),
        ]),
      ],
      { a: {} },
    ],
  ];

  it.each(READERS)('is read %s as if it were there', async (_, readers, outputs) => {
    const options = keeping();
    const { outcome, steps } = await walk([large('big'), ...readers], options);

    expect(outcome.kind).toBe('succeeded');
    const expected = Object.entries(outputs).map(([name, output]) => [name, { output: output as object }]);
    expect(steps).toMatchObject(Object.fromEntries(expected));
    expect(options.largeOutputs.reads).toHaveLength(readers.length);
  });

  it('is read once for each step that names it, and for no other', async () => {
    const options = keeping();
    const input = {
      a: '{{ big.name }}',
      b: '{{ big.list }}',
      c: '{{ big }}',
      d: '{{ big.list.length }}',
    };
    const names = codeStep('names', input, '({ a, b, c, d }) => [a, b, c.name, d]');
    const { steps } = await walk([large('big'), codeStep('not'), names], options);

    expect(steps['names']?.output).toEqual(['big', [1, 2], 'big', 2]);
    expect(options.largeOutputs.reads).toEqual(['r1:big']);
  });

  it('is not read when its step is passed over', async () => {
    const options = keeping();
    const steps = [large('big'), loop('l', [1, 2], [large('inner')]), codeStep('a', { n: '{{ big.name }}' })];
    const whole = await walk(steps, options);
    const largeOutputs = new InMemoryLargeOutputs();
    const again = await walk(steps, keeping({ largeOutputs, recorded: asRecorded(whole.records) }));

    expect(again.outcome).toEqual(whole.outcome);
    expect(largeOutputs.reads).toEqual([]);
  });

  it('is read after a crash as before it', async () => {
    const options = keeping();
    const steps = [large('big'), codeStep('a', { n: '{{ big.name }}' })];
    const whole = await walk(steps, options);
    const again = await walk(steps, { ...options, recorded: asRecorded(whole.records.slice(0, 1)) });

    expect(again.steps).toEqual(whole.steps);
    expect(options.largeOutputs.reads).toEqual(['r1:big', 'r1:big']);
  });

  it('that is too large is FAILED as before, and not kept', async () => {
    const options = keeping({ limits: { ...LIMITS, outputBytes: 120 } });

    expect((await walk([large('big')], options)).outcome.kind).toBe('failed');
    expect(options.largeOutputs.files.size).toBe(0);
  });
});

describe('large outputs in a finished loop', () => {
  const THREE = loop('l', [1, 2, 3], [large('big'), codeStep('small', { n: '{{ l.item }}' })]);
  const ALL = [0, 1, 2].map((index) => `r1:l[${index}].big`);

  it.each<[string, string, unknown, string[]]>([
    ['all, by JavaScript', '{{ l.iterations.map(i => i.big.output.name) }}', ['big', 'big', 'big'], ALL],
    ['all, as a whole', '{{ l.iterations }}', [{ big: { output: { list: [1, 2] } } }, {}, {}], ALL],
    ['one, by its path', '{{ l.iterations[1].big.output.list[0] }}', 1, ALL.slice(1, 2)],
    ['none for another step', '{{ l.iterations[1].small.output.n }}', 2, []],
    ['none for what stands beside the output', '{{ l.iterations[1].big.status }}', 'SUCCEEDED', []],
    ['none for the last item', '{{ l.item }}', 3, []],
  ])('are read: %s', async (_, n, expected, reads) => {
    const options = keeping();
    const runner = new EvaluatingCodeRunner();
    const steps = [THREE, codeStep('a', { n }, '() => 0')];
    const whole = await walk(steps, { ...options, runner });

    expect({ n: (JSON.parse(runner.calls.at(-1)?.input ?? '') as { n: unknown }).n }).toMatchObject({ n: expected });
    expect(options.largeOutputs.reads).toEqual(reads);

    const recorded = asRecorded(whole.records.slice(0, -1));
    const again = await walk(steps, { ...options, recorded });
    expect(again.steps).toEqual(whole.steps);
    expect(options.largeOutputs.reads).toEqual([...reads, ...reads]);
  });
});

describe('large outputs of a finished loop that are read by their paths', () => {
  it('are held one at a time', async () => {
    const names = [0, 1, 2].map((index) => [`n${index}`, `{{ l.iterations[${index}].big.output.name }}`]);
    const steps = [loop('l', [1, 2, 3], [large('big')]), codeStep('a', Object.fromEntries(names))];
    const { outcome } = await walk(steps, keeping({ limits: { ...LIMITS, bytesReadAtOnce: 200 } }));

    expect(outcome.kind).toBe('succeeded');
  });
});

describe('a large output that cannot be read', () => {
  const STEPS = [large('big'), codeStep('a', { n: '{{ big.name }}' }), codeStep('after')];
  const reading = (read: (file: OutputFile) => Promise<JsonText>, more: { signal?: AbortSignal } = {}) => {
    const largeOutputs = new InMemoryLargeOutputs();
    largeOutputs.read = read;
    return walk(STEPS, keeping({ largeOutputs, ...more }));
  };

  it('fails the step that names it', async () => {
    const { outcome } = await reading(() => Promise.reject(new Error('deleted')));

    const message = 'The output of the step "big" is in a file that can no longer be read.';
    expect(outcome).toMatchObject({ kind: 'failed', step: { name: 'a', message }, stepsCount: 2 });
  });

  it('for now is trouble of ours', async () => {
    const trouble = new ServiceUnavailableError('No files now.');

    await expect(reading(() => Promise.reject(trouble))).rejects.toBe(trouble);
  });

  it('because the run was aborted leaves the step as it was', async () => {
    const controller = new AbortController();
    const read = () => {
      controller.abort('shutdown');
      return Promise.reject(new Error('aborted'));
    };
    const { outcome, records } = await reading(read, { signal: controller.signal });

    expect(outcome.kind).toBe('interrupted');
    expect(records.map(({ path }) => path)).toEqual(['big']);
  });

  it('with others at once because they are too much fails the step', async () => {
    const limits = { ...LIMITS, bytesReadAtOnce: 200 };
    const both = codeStep('a', { b1: '{{ b1 }}', b2: '{{ b2 }}' });
    const parts = codeStep('a', { b1: '{{ b1.name }}', b2: '{{ b2.name }}' });

    expect((await walk([large('b1'), large('b2'), both], keeping({ limits }))).outcome).toMatchObject({
      kind: 'failed',
      step: { message: 'The step reads more than 200 bytes of large outputs at once, which is the limit.' },
    });
    expect((await walk([large('b1'), large('b2'), parts], keeping({ limits }))).outcome.kind).toBe('succeeded');
  });
});

describe('a large input', () => {
  it('is given whole, and has remarks for its large members on record', async () => {
    const text = 'x'.repeat(20_000);
    const steps = [
      codeStep('big', {}, `() => 'x'.repeat(20_000)`),
      codeStep('a', { text: '{{ big }}', n: 1 }, '({ text }) => text.length'),
    ];
    const { records } = await walk(steps, keeping({ limits: { inlineOutputBytes: 15_000 } }));

    expect(records[1]).toMatchObject({ input: '{"text":"(20002 bytes, too many to keep)","n":1}', output: '20000' });
    const { records: inline } = await walk(steps, { limits: { inlineOutputBytes: 15_000 } });
    expect(inline[1]?.input).toBe(JSON.stringify({ text, n: 1 }));
  });
});

describe('a run of many large outputs', () => {
  const COUNT = 100;
  const MB = 1024 * 1024;

  /** Outputs a new text of 1 MB for each step and does not keep it. */
  class Forgetful extends EvaluatingCodeRunner {
    override async run({ run, program }: CodeCall): Promise<CodeOutcome> {
      if (program.kind === 'expressions') return { kind: 'value', output: JSON.stringify('["1"]'), logs: [] };
      return { kind: 'value', output: textOf(run.stepKey), logs: [] };
    }
  }
  class Elsewhere extends InMemoryLargeOutputs {
    most = 0;
    private noted = 0;
    override async keep({ stepKey }: { stepKey: string }): Promise<OutputFile> {
      this.note();
      return { fileId: stepKey, bytes: MB };
    }
    override async read({ fileId }: OutputFile): Promise<JsonText> {
      this.note();
      this.reads.push(fileId);
      return textOf(fileId);
    }
    private note(): void {
      if (this.noted++ % 20 > 0) return;
      collectGarbage();
      this.most = Math.max(this.most, process.memoryUsage().heapUsed);
    }
  }
  const textOf = (key: string): JsonText => `{"id":"${key}","text":"${'y'.repeat(MB)}"}`;
  const names = Array.from({ length: COUNT }, (_, index) => `s${index}`);

  it('holds a few of them at once, although each step reads the one before and the last reads all', async () => {
    const steps = names.map((name, index) => codeStep(name, index > 0 ? { before: `{{ s${index - 1} }}` } : {}));
    const last = codeStep('last', Object.fromEntries(names.map((name) => [name, `{{ ${name}.id }}`])));
    const largeOutputs = new Elsewhere();
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const limits = { storageBytes: 1_000 * MB };
    const { outcome } = await walk([...steps, last], { largeOutputs, limits, runner: new Forgetful() });

    expect(outcome.kind).toBe('succeeded');
    expect(largeOutputs.reads).toHaveLength(2 * COUNT - 1);
    expect(largeOutputs.most - before).toBeLessThan(12 * MB);
  }, 60_000);
});

const collectGarbage = ((): (() => void) => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();
