import {
  createdAt,
  isWebhook,
  type RunPayload,
  type RunToExecute,
  type StepPath,
  type StepRecord,
} from '@millrace/domain';
import type { RunExit } from '@millrace/engine';
import { noteTrace, Tracing, type Span, type TraceHeaders } from '@millrace/http';
import { RunTracer, TracedWalk } from '@millrace/runner';
import { Inject, Injectable } from '@nestjs/common';

/** A walk with more steps than this has one span for the others together: the attribute `millrace.steps.not_traced`. */
const MOST_STEPS = 200;

// Follows runs, their steps and what their steps call.
//
// R1. The trace of a webhook goes on where the gateway has left it: in the `traceparent` of the stored request, which
//     survives the queue and every crash. A trace that begins in the worker has the id of its run, so that all walks of
//     the run belong to it.
// R2. Spans name runs, flows, paths and endings. They hold no input, output, message or address.
@Injectable()
export class TracedRuns extends RunTracer {
  /** The steps under way, by their keys. */
  private readonly steps = new Map<string, Span>();

  constructor(@Inject(Tracing) private readonly tracing: Tracing) {
    super();
  }

  override begin(run: RunToExecute): TracedWalk {
    const parent = headersIn(run.payload) ?? null;
    const traceId = run.id.replaceAll('-', '');
    const attributes = { 'millrace.run.id': run.id, 'millrace.flow.id': run.flowId };
    const waited =
      run.epoch > 0
        ? null
        : this.tracing.begin('wait for a worker', {
            kind: 'internal',
            parent,
            traceId,
            attributes,
            startTime: createdAt(run.id),
          });
    waited?.end();
    const span = this.tracing.begin('run', {
      kind: 'consumer',
      parent: parent ?? waited,
      traceId,
      attributes: {
        ...attributes,
        'millrace.trigger.type': run.triggerType,
        'millrace.run.environment': run.environment,
        'millrace.run.epoch': run.epoch,
        ...(run.parentRunId !== null && { 'millrace.parent_run.id': run.parentRunId }),
      },
    });
    noteTrace(run.id, span.traceId);
    return new RunSpan(run.id, span, this.tracing, this.steps);
  }

  /** Does what a step does, so that the calls that it makes are spans below that of the step. */
  withinStep<Result>(stepKey: string, work: () => Result): Result {
    const span = this.steps.get(stepKey);
    return span ? this.tracing.within(span, work) : work();
  }
}

class RunSpan extends TracedWalk {
  private readonly open = new Set<string>();
  private begun = 0;

  constructor(
    private readonly runId: string,
    private readonly span: Span,
    private readonly tracing: Tracing,
    private readonly steps: Map<string, Span>,
  ) {
    super();
  }

  override stepBegan(path: StepPath): void {
    if (++this.begun > MOST_STEPS) return;
    const attributes = { 'millrace.step.path': path };
    const key = this.keyOf(path);
    this.steps.set(key, this.tracing.begin('step', { kind: 'internal', parent: this.span, attributes }));
    this.open.add(key);
  }

  override stepRecorded({ path, type, status }: StepRecord): void {
    const key = this.keyOf(path);
    const span = this.steps.get(key);
    if (!span || status === 'RUNNING') return;
    span.set({ 'millrace.step.type': type, 'millrace.step.status': status });
    if (status === 'FAILED') span.fail('STEP_FAILED');
    this.close(key, span);
  }

  override end(exit: RunExit | null): void {
    for (const key of this.open) {
      const span = this.steps.get(key);
      if (span) this.close(key, span);
    }
    const notTraced = this.begun - MOST_STEPS;
    this.span.set({
      'millrace.run.exit': exit?.kind ?? 'broken off',
      ...(notTraced > 0 && { 'millrace.steps.not_traced': notTraced }),
    });
    if (exit === null || exit.kind === 'failed' || exit.kind === 'timedOut')
      this.span.fail(exit?.kind ?? 'INTERNAL_ERROR');
    this.span.end();
  }

  private close(key: string, span: Span): void {
    this.steps.delete(key);
    this.open.delete(key);
    span.end();
  }

  private keyOf(path: StepPath): string {
    return `${this.runId}:${path}`;
  }
}

/** The trace in the stored request of a webhook; undefined when there is none. */
function headersIn(payload: RunPayload): TraceHeaders | undefined {
  if (!isWebhook(payload) || !payload.request.includes('"traceparent"')) return undefined;
  const { headers } = JSON.parse(payload.request) as { headers?: TraceHeaders };
  return typeof headers?.['traceparent'] === 'string' ? headers : undefined;
}
