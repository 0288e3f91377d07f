import type { RunToExecute } from '@millrace/domain';
import { firstIdAt } from '@millrace/domain';
import { Span, Tracing, type NewSpan } from '@millrace/http';
import { TracedRuns } from './traced-runs';

class NotedSpan extends Span {
  readonly traceId: string;
  attributes: Record<string, unknown>;
  failure: string | null = null;
  ended = 0;

  constructor(
    readonly name: string,
    readonly begun: NewSpan,
  ) {
    super();
    this.traceId = begun.traceId ?? '';
    this.attributes = { ...begun.attributes };
  }

  override set(attributes: object): void {
    Object.assign(this.attributes, attributes);
  }

  override fail(code: string): void {
    this.failure = code;
  }

  override end(): void {
    this.ended++;
  }

  override headers(): Record<string, string> {
    return {};
  }
}

class NotedTracing extends Tracing {
  readonly spans: NotedSpan[] = [];
  private current: Span | null = null;

  override begin(name: string, span: NewSpan): NotedSpan {
    const noted = new NotedSpan(name, span);
    this.spans.push(noted);
    return noted;
  }

  override within<Result>(span: Span, work: () => Result): Result {
    this.current = span;
    const result = work();
    this.current = null;
    return result;
  }

  override active(): Span | null {
    return this.current;
  }

  override async close(): Promise<void> {}
}

const RUN_ID = firstIdAt(new Date('2026-01-01'));
const TRACEPARENT = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;

const aRun = (more: Partial<RunToExecute> = {}): RunToExecute =>
  ({
    id: RUN_ID,
    flowId: 'flow',
    epoch: 0,
    triggerType: 'MANUAL',
    environment: 'TESTING',
    parentRunId: null,
    payload: '{}',
    ...more,
  }) as RunToExecute;

const aWebhook = (headers: object): RunToExecute['payload'] => ({
  request: JSON.stringify({ method: 'POST', headers, queryParams: {} }),
  bodyKind: 'none',
  rawBody: Buffer.alloc(0),
});

function setUp() {
  const tracing = new NotedTracing();
  return {
    tracing,
    traced: new TracedRuns(tracing),
    spanOf: (name: string) => tracing.spans.filter((s) => s.name === name),
  };
}

describe('TracedRuns', () => {
  it('continues the trace of a stored webhook, at every walk', () => {
    const { traced, spanOf } = setUp();
    const payload = aWebhook({ traceparent: TRACEPARENT });

    traced.begin(aRun({ payload }));
    traced.begin(aRun({ payload, epoch: 2 }));

    for (const run of spanOf('run')) expect(run.begun.parent).toMatchObject({ traceparent: TRACEPARENT });
    expect(spanOf('wait for a worker')).toHaveLength(1);
  });

  it.each([
    ['a webhook without a trace', aWebhook({})],
    [
      'a webhook whose body speaks of one',
      { ...(aWebhook({}) as object), request: '{"headers":{},"queryParams":{"\\"traceparent\\"":"x"}}' },
    ],
    ['any other payload', '{"traceparent":"x"}'],
  ])('begins a trace with the id of the run for %s', (_, payload) => {
    const { traced, spanOf } = setUp();

    traced.begin(aRun({ payload: payload as RunToExecute['payload'] }));

    const [waited] = spanOf('wait for a worker');
    expect(waited?.begun).toMatchObject({ parent: null, traceId: RUN_ID.replaceAll('-', '') });
    expect(waited?.begun.startTime).toEqual(new Date('2026-01-01'));
    expect(spanOf('run')[0]?.begun.parent).toBe(waited);
  });

  it('ends each step with its record, and with the walk those that have none', () => {
    const { traced, spanOf } = setUp();
    const walk = traced.begin(aRun());
    walk.stepBegan('a');
    walk.stepBegan('b');

    walk.stepRecorded({ path: 'a', type: 'ACTION', status: 'RUNNING', duration: 1 });
    walk.stepRecorded({ path: 'a', type: 'ACTION', status: 'FAILED', duration: 2, errorMessage: 's3cr3t' });
    expect(spanOf('step').map(({ ended }) => ended)).toEqual([1, 0]);
    walk.end({ kind: 'interrupted' });

    expect(spanOf('step').map(({ ended }) => ended)).toEqual([1, 1]);
    expect(spanOf('step')[0]).toMatchObject({
      failure: 'STEP_FAILED',
      attributes: { 'millrace.step.status': 'FAILED' },
    });
    expect(JSON.stringify(spanOf('step').map(({ attributes }) => attributes))).not.toContain('s3cr3t');
    expect(spanOf('run')[0]).toMatchObject({ ended: 1, attributes: { 'millrace.run.exit': 'interrupted' } });
  });

  it('makes a call within the span of its step, as long as the step is under way', () => {
    const { traced, tracing, spanOf } = setUp();
    const walk = traced.begin(aRun());
    walk.stepBegan('a');
    const active = () => traced.withinStep(`${RUN_ID}:a`, () => tracing.active());

    expect(active()).toBe(spanOf('step')[0]);
    walk.end(null);
    expect(active()).toBeNull();
    expect(spanOf('run')[0]?.failure).toBe('INTERNAL_ERROR');
  });

  it('follows the first 200 steps of a walk, and counts the others', () => {
    const { traced, spanOf } = setUp();
    const walk = traced.begin(aRun());

    for (let n = 1; n <= 205; n++) walk.stepBegan(`loop[${n}].a`);
    walk.end(null);

    expect(spanOf('step')).toHaveLength(200);
    expect(spanOf('run')[0]?.attributes).toMatchObject({ 'millrace.steps.not_traced': 5 });
  });
});
